/**
 * Uploads that were interrupted, remembered by the browser until the file is a build. Without names and texts, because storage outlives
 * the session: the key is useless without it, and the server has the rest.
 */
import { isRecord } from '../json.ts';
import type { Transfer } from './transfer.ts';

export interface UnfinishedUpload {
  /** Mark of the person and the address. */
  place: string;
  /** Mark of the name. */
  file: string;
  /** See `markOf`. */
  content: string;
  idempotencyKey: string;
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

const sumOf = (bytes: Uint8Array) => bytes.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 0);
const markOfText = (text: string) => String(sumOf(new TextEncoder().encode(text)));
const placeOf = ({ viewer, address }: Place) =>
  markOfText(`${viewer} ${new URL(address, location.href).pathname}`);

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
export function unfinishedAt(place: Place): UnfinishedUpload[] {
  const mark = placeOf(place);
  return readAll().filter((one) => one.place === mark);
}

export function findUnfinished(upload: Place & Pick<Transfer, 'file'>): UnfinishedUpload | undefined {
  const mark = markOfText(upload.file.name);
  return unfinishedAt(upload).find((one) => one.file === mark);
}

/** `unfinished`: replaces what is known of the file; null to forget it. */
export function remember(
  transfer: Transfer,
  unfinished: Pick<UnfinishedUpload, 'content' | 'idempotencyKey' | 'sent'> | null,
): void {
  const [place, file] = [placeOf(transfer), markOfText(transfer.file.name)];
  const others = readAll().filter((one) => one.place !== place || one.file !== file);
  const known = { place, file, size: transfer.file.size, at: Date.now() };
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
  return `${file.size} ${sumOf(new Uint8Array(await file.slice(-mebibyte).arrayBuffer()))}`;
}
