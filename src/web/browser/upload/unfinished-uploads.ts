/** Uploads that were interrupted, remembered by the browser until the file is a build. */
import { isRecord } from '../json.ts';
import type { Transfer } from './transfer.ts';

export interface UnfinishedUpload {
  /** Whose, and at which address. */
  place: string;
  fileName: string;
  /** Of the file, see `markOf`. */
  mark: string;
  idempotencyKey: string;
  fields: Transfer['fields'];
  /** Bytes that the server had, and those of the file. */
  sent: number;
  size: number;
  /** Epoch milliseconds. */
  at: number;
}

const storageKey = 'unfinished-uploads';
const rememberedMs = 7 * 24 * 60 * 60_000;
const mebibyte = 1024 * 1024;

type Place = Pick<Transfer, 'viewer' | 'address'>;
const placeOf = ({ viewer, address }: Place) => `${viewer} ${new URL(address, location.href).pathname}`;

/** A browser may deny access to its storage. */
function readAll(): UnfinishedUpload[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    const isRecent = (one: unknown) => isRecord(one) && Number(one.at) > Date.now() - rememberedMs;
    return Array.isArray(stored) ? (stored.filter(isRecent) as UnfinishedUpload[]) : [];
  } catch {
    return [];
  }
}

/** The uploads of this person at this address, latest first. */
export const unfinishedAt = (place: Place): UnfinishedUpload[] =>
  readAll().filter((one) => one.place === placeOf(place));

export const findUnfinished = (upload: Place & Pick<Transfer, 'file'>): UnfinishedUpload | undefined =>
  unfinishedAt(upload).find((one) => one.fileName === upload.file.name);

/** `unfinished`: replaces what is known of the file; null to forget it. */
export function remember(
  transfer: Transfer,
  unfinished: Pick<UnfinishedUpload, 'mark' | 'idempotencyKey' | 'sent'> | null,
): void {
  const { file, fields } = transfer;
  const place = placeOf(transfer);
  const others = readAll().filter((one) => one.place !== place || one.fileName !== file.name);
  const known = { place, fileName: file.name, fields, size: file.size, at: Date.now() };
  const all = unfinished ? [{ ...known, ...unfinished }, ...others] : others;
  try {
    if (all.length === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify(all));
  } catch {}
}

/**
 * Tells whether it is the same file: its size, and its end, which in a package is the directory of its content with checksums.
 * Rejects if the file has changed since it was chosen.
 */
export async function markOf(file: Blob): Promise<string> {
  const end = new Uint8Array(await file.slice(-mebibyte).arrayBuffer());
  return `${file.size} ${end.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 0)}`;
}
