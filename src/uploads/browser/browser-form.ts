/**
 * Parses the browser upload form. The form token of the session must be its first part: before it, nothing is accepted and no
 * byte of a file is stored. The input is kept to show it again after an error.
 */
import type { Readable } from 'node:stream';
import { errorTexts } from '../../core/error-texts.ts';
import { type AppError, Forbidden } from '../../core/errors.ts';
import { maxTextBytes } from '../upload-fields.ts';
import { createUploadFormReader, type UploadForm, type UploadFormDeps } from '../upload-form.ts';

/** The raw input; empty strings for missing fields. */
export interface UploadValues {
  message: string;
  releaseNote: string;
  distributionKey: string;
  distributionName: string;
  quiet: boolean;
}

export const emptyUploadValues: UploadValues = {
  message: '',
  releaseNote: '',
  distributionKey: '',
  distributionName: '',
  quiet: false,
};

export interface BrowserFormDeps extends Pick<UploadFormDeps, 'receive' | 'origin' | 'query'> {
  /** Throws `forbidden` for a token of another session. */
  checkFormToken(token: string): void;
  /** Set if the request is rejected already: files are then discarded, so that the fields after them can be kept. */
  refusal: AppError | null;
  /** Discards a file. Rejects if that takes too long. */
  discard(stream: Readable): Promise<void>;
}

export interface BrowserFormReader {
  isFile(name: string, contentType: string, fileName: string | undefined): boolean;
  isField(name: string): boolean;
  field(name: string, value: string, truncated: boolean): void | Promise<void>;
  file(name: string, fileName: string, stream: Readable): Promise<void>;
  /** Whether the first part was the form token of the session. */
  proven(): boolean;
  submitted(): UploadValues;
  /** Returns the validated form. Throws the earlier rejection, or `invalid` if a part is missing or invalid. */
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

export function createBrowserFormReader(deps: BrowserFormDeps): BrowserFormReader {
  const reader = createUploadFormReader({ ...deps, authorizeToken: async () => undefined });
  const shown = new Map<string, string>();
  let proof: 'awaited' | 'given' | 'missed' = 'awaited';
  const expectProof = () => {
    if (proof === 'given') return;
    // A token is too late after any other part.
    proof = 'missed';
    throw new Forbidden(errorTexts.formExpired);
  };
  const submittedText = (name: string) => shown.get(name) ?? '';
  return {
    isFile: reader.isFile,
    isField: (name) => name === 'csrf' || reader.isField(name),
    field: (name, value, truncated) => {
      if (name === 'csrf' && proof === 'awaited') {
        proof = 'missed';
        deps.checkFormToken(value);
        proof = 'given';
        return;
      }
      expectProof();
      // The session identifies the uploader, even if the form contains a key.
      if (name === 'token') return;
      // Browsers submit CRLF line endings.
      const text = value.replace(/\r\n?/g, '\n');
      if (shownFields.has(name)) shown.set(name, text.slice(0, maxTextBytes).replaceAll('\0', ''));
      return reader.field(name, text, truncated);
    },
    file: async (name, fileName, stream) => {
      expectProof();
      await (deps.refusal ? deps.discard(stream) : reader.file(name, fileName, stream));
    },
    proven: () => proof === 'given',
    submitted: () => ({
      message: submittedText('message'),
      releaseNote: submittedText('release_note'),
      distributionKey: submittedText('distribution_key'),
      distributionName: submittedText('distribution_name'),
      quiet: submittedText('disable_notify') !== '',
    }),
    finish: () => {
      expectProof();
      if (deps.refusal) throw deps.refusal;
      return reader.finish();
    },
    dispose: reader.dispose,
  };
}
