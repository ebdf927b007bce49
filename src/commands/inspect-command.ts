/** `slipway inspect`: what Slipway reads out of packages, one line of JSON a file or a page for people. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type SignatureVerification, UnreadablePackage } from '../packages/package-info.ts';
import { createPackageReader, type PackageReader } from '../packages/package-reader.ts';
import type { CommandIo } from './command-io.ts';
import { type Inspected, inspectJson } from './inspect-output.ts';
import { inspectPage } from './inspect-page.ts';
import { printable, wantsColour } from './terminal-text.ts';

/** Answers 1 when one file or more could not be read. */
export async function runInspect(
  io: CommandIo,
  files: readonly string[],
  options: { icon?: string; json?: boolean },
): Promise<number> {
  const reader = createPackageReader();
  const isTerminal = io.stdout.isTTY === true;
  const asJson = options.json ?? !isTerminal;
  const style = { columns: io.stdout.columns ?? 100, colour: wantsColour(io.environment, isTerminal) };
  let exitCode = 0;
  try {
    if (options.icon !== undefined) await mkdir(options.icon, { recursive: true });
    for (const file of files) {
      try {
        const inspected = await inspectFile(reader, file);
        if (options.icon !== undefined) await writeIcon(reader, inspected, options.icon);
        io.stdout.write(
          asJson ? `${JSON.stringify(inspectJson(inspected))}\n` : inspectPage(inspected, style),
        );
      } catch (error) {
        exitCode = 1;
        const message = error instanceof Error ? error.message : String(error);
        io.stdout.write(
          asJson
            ? `${JSON.stringify({ file, error: message })}\n`
            : `\n${printable(file)}: ${printable(message)}\n`,
        );
      }
    }
  } finally {
    await reader.close();
  }
  return exitCode;
}

async function inspectFile(reader: PackageReader, file: string): Promise<Inspected> {
  const { size } = await stat(file);
  const [digests, info] = await Promise.all([hashFile(file), reader.read(file)]);
  return { file, sizeBytes: size, ...digests, info, verification: await verify(reader, file) };
}

/** A package whose facts are readable is shown, also when a file of it is too damaged to be compared with its signature. */
function verify(reader: PackageReader, file: string): Promise<SignatureVerification> {
  return reader.verifySignature(file).catch((error) => {
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

async function writeIcon(reader: PackageReader, { file, info }: Inspected, folder: string): Promise<void> {
  const drawn = info.icon && reader.drawIcon(file, info.icon);
  const png = await drawn?.catch((error) => {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  });
  if (png) await writeFile(join(folder, `${basename(file)}.png`), png);
}
