/**
 * The form of an upload as a browser sends it. Its first part proves that a page of this session made it; until that has
 * come nothing is taken, and not a byte of a file is spooled. What was typed is kept, to be shown again after a refusal.
 */
import type { Readable } from 'node:stream';
import type { AppError } from '../../core/errors.ts';
import { Forbidden } from '../../core/errors.ts';
import { maxTextBytes } from '../upload-fields.ts';
import { createUploadFormReader, type UploadForm, type UploadFormParts } from '../upload-form.ts';

/** As it was typed; `''` where nothing was. */
export interface TypedUpload {
  message: string;
  releaseNote: string;
  distributionKey: string;
  distributionName: string;
  quiet: boolean;
}

export const nothingTyped: TypedUpload = {
  message: '',
  releaseNote: '',
  distributionKey: '',
  distributionName: '',
  quiet: false,
};

export interface BrowserFormParts extends Pick<UploadFormParts, 'receive'> {
  /** Throws `forbidden` for a token that is not the session's. */
  checkFormToken(token: string): void;
  /** Known before the body came: files are thrown away, so that what was typed behind them can be kept. */
  refusal: AppError | null;
  /** Reads a file away; rejects when that takes too long. */
  discard(stream: Readable): Promise<void>;
}

export interface BrowserFormReader {
  isFile(name: string, contentType: string, fileName: string | undefined): boolean;
  field(name: string, value: string, truncated: boolean): void | Promise<void>;
  file(name: string, fileName: string, stream: Readable): Promise<void>;
  /** Whether the first part was the session's token. */
  proven(): boolean;
  typed(): TypedUpload;
  /** The checked form; throws the refusal, or `invalid` when a part is missing or wrong. */
  finish(): UploadForm;
  dispose(): Promise<void>;
}

const shownFields = new Set([
  'message',
  'release_note',
  'distribution_key',
  'distribution_name',
  'disable_notify',
]);

export function createBrowserFormReader(parts: BrowserFormParts): BrowserFormReader {
  const reader = createUploadFormReader({ receive: parts.receive, judgeToken: async () => undefined });
  const shown = new Map<string, string>();
  let proof: 'awaited' | 'given' | 'missed' = 'awaited';
  const expectProof = () => {
    if (proof === 'given') return;
    // A token behind anything else comes too late.
    proof = 'missed';
    throw new Forbidden('the form has expired: open the page again');
  };
  const typedOf = (name: string) => shown.get(name) ?? '';
  return {
    isFile: reader.isFile,
    field: (name, value, truncated) => {
      if (name === 'csrf' && proof === 'awaited') {
        proof = 'missed';
        parts.checkFormToken(value);
        proof = 'given';
        return;
      }
      expectProof();
      // A session is who uploads here, whatever key somebody adds.
      if (name === 'token') return;
      // Browsers end the lines of a form with both characters.
      const text = value.replace(/\r\n?/g, '\n');
      if (shownFields.has(name)) shown.set(name, text.slice(0, maxTextBytes).replaceAll('\0', ''));
      return reader.field(name, text, truncated);
    },
    file: async (name, fileName, stream) => {
      expectProof();
      await (parts.refusal ? parts.discard(stream) : reader.file(name, fileName, stream));
    },
    proven: () => proof === 'given',
    typed: () => ({
      message: typedOf('message'),
      releaseNote: typedOf('release_note'),
      distributionKey: typedOf('distribution_key'),
      distributionName: typedOf('distribution_name'),
      quiet: typedOf('disable_notify') !== '',
    }),
    finish: () => {
      expectProof();
      if (parts.refusal) throw parts.refusal;
      return reader.finish();
    },
    dispose: reader.dispose,
  };
}
