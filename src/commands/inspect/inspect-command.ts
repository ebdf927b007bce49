/**
 * `slipway inspect`: prints the facts of packages as one line of JSON per file or as a readable page. Runs in its own process
 * because the user trusts the files and can stop it with Ctrl-C.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readPngSize } from '../../packages/ipa/png-chunks.ts';
import {
  type IconChoice,
  type SignatureVerification,
  UnreadablePackage,
} from '../../packages/package-info.ts';
import { readPackageOrBundle } from '../../packages/read-package.ts';
import { verifySignature } from '../../packages/verify-signature.ts';
import type { CommandIo } from '../command-io.ts';
import { draw, wantsColor, writeJson } from '../terminal-text.ts';
import { type Inspected, inspectJson } from './inspect-output.ts';
import { inspectPage, unreadablePage } from './inspect-page.ts';

/** Resolves to the exit code: 1 if a file could not be read. */
export async function runInspect(
  io: CommandIo,
  files: readonly string[],
  options: { icon?: string; json?: boolean },
): Promise<number> {
  const isTerminal = io.stdout.isTTY === true;
  const asJson = options.json ?? !isTerminal;
  const style = { columns: io.stdout.columns ?? 100, color: wantsColor(io.environment, isTerminal) };
  let exitCode = 0;
  if (options.icon !== undefined) await mkdir(options.icon, { recursive: true });
  for (const file of files) {
    try {
      const { inspected, icon } = await inspectFile(file, options.icon !== undefined);
      if (icon && options.icon !== undefined) {
        await writeFile(join(options.icon, `${basename(file)}.png`), icon);
      }
      if (asJson) writeJson(io.stdout, inspectJson(inspected));
      else draw(io.stdout, inspectPage(inspected, style, new Date()));
    } catch (error) {
      exitCode = 1;
      const reason = reasonOf(error);
      if (asJson) writeJson(io.stdout, { file, error: reason });
      else draw(io.stdout, unreadablePage(file, reason, style));
    }
  }
  return exitCode;
}

/** Messages for common system errors. */
const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'permission denied',
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return systemReasons['code' in error ? String(error.code) : ''] ?? error.message;
}

async function inspectFile(
  file: string,
  wantsIcon: boolean,
): Promise<{ inspected: Inspected; icon: Uint8Array | null }> {
  const { size } = await stat(file);
  const [digests, { info }] = await Promise.all([hashFile(file), readPackageOrBundle(file)]);
  const verification = await verify(file);
  // The size of an icon in an asset catalog is only known after drawing it.
  const inCatalog = info.icon?.kind === 'asset-catalog';
  const icon = info.icon && (wantsIcon || inCatalog) ? await drawIcon(file, info.icon) : null;
  const iconSize = icon && inCatalog ? readPngSize(Buffer.from(icon)) : null;
  const sized = info.icon && iconSize ? { ...info, icon: { ...info.icon, ...iconSize } } : info;
  return { inspected: { file, sizeBytes: size, ...digests, info: sized, verification }, icon };
}

/** Reports a file that is too damaged to verify as a problem, so that the readable facts of the package are still shown. */
function verify(file: string): Promise<SignatureVerification> {
  return verifySignature(file).catch((error) => {
    if (!(error instanceof UnreadablePackage)) throw error;
    const problems = [`The signature could not be read: ${error.message}.`];
    return { verified: false, verifiedFromSdk: null, problems };
  });
}

async function hashFile(file: string): Promise<{ md5: string; sha256: string }> {
  const md5 = createHash('md5');
  const sha256 = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    md5.update(chunk);
    sha256.update(chunk);
  }
  return { md5: md5.digest('hex'), sha256: sha256.digest('hex') };
}

/** Returns PNG bytes, or null if the icon cannot be drawn. Loads the image library on demand. */
async function drawIcon(file: string, choice: IconChoice): Promise<Uint8Array | null> {
  const { drawIconOfFile } = await import('../../packages/icon/draw-icon-from-file.ts');
  return drawIconOfFile(file, choice);
}
