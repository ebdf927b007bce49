/** Parses the form of an upload: spools and hashes files, and limits texts. Parts may arrive in any order. */
import { Readable } from 'node:stream';
import {
  type BuildField,
  type BuildFields,
  buildFields,
  isWebAddress,
  mapBuildFields,
} from '../apps/build-fields.ts';
import type { SpooledFile } from '../blobs/spool/spool.ts';
import { errorTexts } from '../core/error-texts.ts';
import { invalid } from '../core/errors.ts';
import { hiddenCharacterOf, normalizeName } from '../core/name-text.ts';
import { checkDistributionName } from '../distributions/choose-distribution.ts';
import { readPageKey } from '../distributions/page-paths.ts';
import { say } from '../packages/messages/package-messages.ts';
import {
  type FileName,
  isFileName,
  isTextName,
  maxFieldBytes,
  maxPageKeyLength,
  maxTextBytes,
  type TextName,
  type UploadQuery,
} from './upload-fields.ts';
import { uploadTexts } from './upload-texts.ts';

export interface UploadForm extends BuildFields {
  file: SpooledFile;
  simulatorZip: SpooledFile | null;
  message: string;
  releaseNote: string;
  distributionKey: string | null;
  distributionName: string | null;
  disableNotify: boolean;
  /** Sigstore bundles, not verified; empty without one. */
  attestation: string;
  /** Warnings about truncated or ignored values, as full sentences. */
  warnings: string[];
}

/** Consumes the parts of a multipart body as they arrive. */
export interface UploadFormReader {
  isFile(name: string, contentType: string, fileName: string | undefined): boolean;
  isField(name: string): boolean;
  field(name: string, value: string, truncated: boolean): void | Promise<void>;
  file(name: string, fileName: string, stream: Readable): Promise<void>;
  /** Returns the validated form. Throws `invalid` if a part is missing or invalid. */
  finish(): UploadForm;
  /** Removes spooled files, whatever happened before. */
  dispose(): Promise<void>;
}

export interface UploadFormDeps {
  /** Fields that were sent in the query. A field in the form must have the same value. */
  query: UploadQuery;
  receive(stream: Readable): Promise<SpooledFile>;
  /** The origin of this server. URLs of its pages are accepted as keys. */
  origin: string;
  /** Checks a key in a form field as soon as it arrives. */
  authorizeToken(token: string): void | Promise<void>;
}

/** Throws `invalid` if the query has a field twice with different values. */
export function createUploadFormReader(deps: UploadFormDeps): UploadFormReader {
  const texts = new Map<TextName, { value: string; truncated: boolean }>();
  const files = new Map<FileName, SpooledFile | null>();
  const reader: UploadFormReader = {
    isFile: (name, contentType, fileName) => {
      if (isTextName(name)) return false;
      return fileName !== undefined || (isFileName(name) && !/^(text\/plain)?$/i.test(contentType));
    },
    isField: (name) => isTextName(name) || isFileName(name),
    field: (name, given, truncated) => {
      const value = isLongText(name) ? given : normalizeName(given);
      if (isFileName(name)) {
        if (value === '' && name !== 'file') return;
        throw invalid(uploadTexts.form.notFile({ name }));
      }
      if (!isTextName(name)) return;
      // An empty field counts as absent, and some clients send a field twice.
      const before = texts.get(name)?.value ?? '';
      if (value === '' || value === before) return;
      if (before !== '') throw invalid(uploadTexts.form.twice({ name }));
      // PostgreSQL cannot store NUL characters in text.
      if (value.includes('\0')) throw invalid(uploadTexts.form.zero({ name }));
      texts.set(name, { value, truncated });
      if (name === 'token') return deps.authorizeToken(value);
    },
    file: async (name, fileName, stream) => {
      if (!isFileName(name)) {
        for await (const _ of stream);
        return;
      }
      if (files.has(name)) throw invalid(uploadTexts.form.fileTwice({ name }));
      files.set(name, null);
      const spooled = await deps.receive(stream);
      if (spooled.sizeBytes === 0 && fileName === '') await spooled.dispose();
      else files.set(name, spooled);
    },
    finish: () => readForm(texts, files, deps.origin),
    dispose: async () => {
      for (const file of files.values()) await file?.dispose();
    },
  };
  for (const [name, values = []] of Object.entries(deps.query))
    for (const value of [values].flat()) reader.field(name, value, false);
  return reader;
}

/** Returns the form of an upload whose fields arrived before its file. Throws `invalid`. */
export async function formOfFields(
  fields: Readonly<Record<string, string>>,
  file: SpooledFile,
  origin: string,
): Promise<UploadForm> {
  const { filename = '', owner: _, ...query } = fields;
  const receive = async () => file;
  const reader = createUploadFormReader({ query, receive, origin, authorizeToken: () => undefined });
  await reader.file('file', filename, Readable.from([]));
  return reader.finish();
}

function readForm(
  texts: ReadonlyMap<TextName, { value: string; truncated: boolean }>,
  files: ReadonlyMap<FileName, SpooledFile | null>,
  origin: string,
): UploadForm {
  const warnings: string[] = [];
  const file = files.get('file');
  if (!file) throw invalid(uploadTexts.form.fileMissing);
  const short = (name: TextName, maxLength: number): string | null => {
    const { value, truncated } = texts.get(name) ?? { value: '', truncated: false };
    if (truncated || [...value].length > maxLength)
      throw invalid(uploadTexts.form.long({ name, limit: maxLength }));
    const character = hiddenCharacterOf(value);
    if (character !== null) throw invalid(errorTexts.names.hidden({ name, character }));
    return value === '' ? null : value;
  };
  const long = (name: TextName): string => {
    const { value, truncated } = texts.get(name) ?? { value: '', truncated: false };
    const cut = truncateUtf8(value, maxTextBytes);
    if (truncated || cut.length < value.length)
      warnings.push(say('text-cut', { field: name, bytes: maxTextBytes }));
    return cut;
  };
  const whole = (name: TextName): string => {
    const { value, truncated } = texts.get(name) ?? { value: '', truncated: false };
    if (truncated) throw invalid(uploadTexts.form.long({ name, limit: maxFieldBytes }));
    return value;
  };
  const freeField = (field: BuildField) => {
    const { name, maxCharacters, kind } = buildFields[field];
    const value = short(name, maxCharacters);
    if (kind === 'url' && value !== null && !isWebAddress(value))
      throw invalid(uploadTexts.form.noAddress({ name }));
    return value;
  };
  const message = long('message');
  const key = short('distribution_key', maxPageKeyLength);
  const name = texts.get('distribution_name');
  if (name?.truncated) throw invalid(uploadTexts.form.pageNameLong);
  return {
    file,
    simulatorZip: files.get('ios_simulator_zip') ?? null,
    message,
    releaseNote: long('release_note') || message,
    distributionKey: key && readPageKey(key, origin),
    distributionName: checkDistributionName(name?.value ?? '') || null,
    disableNotify: /^(true|yes|1|on)$/i.test(texts.get('disable_notify')?.value ?? ''),
    attestation: whole('attestation'),
    ...mapBuildFields(freeField),
    warnings,
  };
}

const longTexts = ['message', 'release_note', 'attestation'];
const isLongText = (name: string) => longTexts.includes(name);

/** Returns the longest prefix of at most `maxBytes` UTF-8 bytes that does not split a character. */
export function truncateUtf8(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text).subarray(0, maxBytes + 1);
  let end = maxBytes;
  // 10xxxxxx is a continuation byte (RFC 3629, section 3).
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
