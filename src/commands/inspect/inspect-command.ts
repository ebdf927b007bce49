/**
 * `slipway inspect`: what Slipway reads from packages, one line of JSON per file or a readable page. It reads them in its own
 * process: the files belong to its user, and Ctrl-C ends it.
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
import { readPackage } from '../../packages/read-package.ts';
import { verifySignature } from '../../packages/verify-signature.ts';
import type { CommandIo } from '../command-io.ts';
import { wantsColour } from '../terminal-text.ts';
import { type Inspected, inspectJson } from './inspect-output.ts';
import { inspectPage, unreadablePage } from './inspect-page.ts';

/** Answers 1 when one file or more could not be read. */
export async function runInspect(
  io: CommandIo,
  files: readonly string[],
  options: { icon?: string; json?: boolean },
): Promise<number> {
  const isTerminal = io.stdout.isTTY === true;
  const asJson = options.json ?? !isTerminal;
  const style = { columns: io.stdout.columns ?? 100, colour: wantsColour(io.environment, isTerminal) };
  let exitCode = 0;
  if (options.icon !== undefined) await mkdir(options.icon, { recursive: true });
  for (const file of files) {
    try {
      const { inspected, icon } = await inspectFile(file, options.icon !== undefined);
      if (icon && options.icon !== undefined) {
        await writeFile(join(options.icon, `${basename(file)}.png`), icon);
      }
      io.stdout.write(
        asJson ? `${JSON.stringify(inspectJson(inspected))}\n` : inspectPage(inspected, style, new Date()),
      );
    } catch (error) {
      exitCode = 1;
      const reason = reasonOf(error);
      io.stdout.write(
        asJson ? `${JSON.stringify({ file, error: reason })}\n` : unreadablePage(file, reason, style),
      );
    }
  }
  return exitCode;
}

/** The system's error numbers that a person meets, in words. */
const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'the file may not be read by this user',
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
  const [digests, info] = await Promise.all([hashFile(file), readPackage(file)]);
  const verification = await verify(file);
  // How large the icon in an asset catalog is, only drawing tells.
  const inCatalog = info.icon?.kind === 'asset-catalog';
  const icon = info.icon && (wantsIcon || inCatalog) ? await drawIcon(file, info.icon) : null;
  const iconSize = icon && inCatalog ? readPngSize(Buffer.from(icon)) : null;
  const sized = info.icon && iconSize ? { ...info, icon: { ...info.icon, ...iconSize } } : info;
  return { inspected: { file, sizeBytes: size, ...digests, info: sized, verification }, icon };
}

/** A package whose facts are readable is shown, also when a file of it is too damaged to be compared with its signature. */
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

/** PNG bytes; null when it cannot be drawn. The image library loads on demand. */
async function drawIcon(file: string, choice: IconChoice): Promise<Uint8Array | null> {
  const { drawIconOfFile } = await import('../../packages/icon/draw-icon-of-file.ts');
  return drawIconOfFile(file, choice);
}
