/** Uploads symbol files to a build that was just uploaded. Repeating this is safe: a build has each content once. */
import { randomBytes } from 'node:crypto';
import { formatBytes } from '../../core/byte-size.ts';
import { printable } from '../terminal-text.ts';
import type { Credential } from './credential.ts';
import { UploadError } from './upload-error.ts';
import { defaultTimeouts, uploadFile } from './upload-file.ts';
import { buildForm } from './upload-form.ts';
import type { UploadOptions } from './upload-options.ts';
import { RefusedError, symbolAddress, type UploadedApp } from './upload-response.ts';
import { uploadWithRetries } from './upload-retry.ts';
import type { UploadSource } from './upload-source.ts';

export interface SymbolUpload {
  sources: readonly UploadSource[];
  credential: Credential;
  version: string;
  defaultRetries: number;
  pause: (milliseconds: number) => Promise<void>;
  note: (line: string) => void;
}

/** Returns a sentence for each file that was not stored. */
export async function uploadSymbols(
  uploaded: UploadedApp,
  options: UploadOptions,
  { sources, credential, version, defaultRetries, pause, note }: SymbolUpload,
): Promise<string[]> {
  const failed: string[] = [];
  for (const source of sources) {
    const name = printable(source.fileName);
    note(`Uploading symbols: ${name} (${formatBytes(source.sizeBytes)})`);
    try {
      const url = symbolAddress(uploaded, options.baseUrl);
      const attempt = async () =>
        uploadFile(
          {
            url,
            headers: {
              Authorization: `Bearer ${await credential.get()}`,
              'User-Agent': `slipway-upload/${version}`,
            },
            form: buildForm([], [{ name: 'file', source }], `slipway-${randomBytes(24).toString('hex')}`),
            timeouts: { ...defaultTimeouts, idleMs: options.idleTimeoutMs },
          },
          () => {},
        );
      const retries = options.retries ?? defaultRetries;
      const answer = await uploadWithRetries(attempt, {
        retries,
        pause,
        onRetry: ({ reason }) => note(reason),
      });
      if (answer.status !== 201) throw refusalOf(answer.text, answer.status);
    } catch (error) {
      if (!(error instanceof UploadError)) throw error;
      failed.push(`${name}: ${printable(error.message)}`);
    }
  }
  return failed;
}

function refusalOf(text: string, status: number): RefusedError {
  let detail: unknown = null;
  try {
    ({ detail } = JSON.parse(text));
  } catch {
    // A proxy answered.
  }
  return new RefusedError(
    typeof detail === 'string' ? detail : `The server answered ${status}.`,
    null,
    undefined,
  );
}
