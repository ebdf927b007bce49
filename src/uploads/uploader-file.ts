/** The uploader as one file, which the server offers at `/cli/slipway.mjs`. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Null where the program was not built. */
export const readUploader = (): Promise<Uint8Array | null> =>
  readFile(new URL('../uploader/slipway.mjs', import.meta.url)).catch(() => null);

let digest: Promise<string | null> | undefined;
/** The file changes only with the program. */
export function uploaderSha256(): Promise<string | null> {
  digest ??= readUploader().then((bytes) => bytes && hash('sha256', bytes));
  return digest;
}
