/**
 * The process that reads, draws and verifies untrusted packages, one task at a time. `package-child.ts` starts it under Node's
 * permission model, with the path of the packages and the kind of task to preload. Other modules are loaded on demand.
 */
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { say } from './messages/package-messages.ts';
import { UnreadablePackage } from './package-info.ts';
import {
  maxErrorCharacters,
  maxResponseBytes,
  outputPathOf,
  type PackageResponse,
  type PackageTask,
  progressId,
  responseHeadBytes,
  startedId,
} from './package-task.ts';

const [, , packagePath = '', first] = process.argv;

closeNetwork();
// A terminal or systemd sends both signals to all processes. The server decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

if (first === 'read') await import('./read-package.ts');

const tasks = createInterface({ input: process.stdin });
tasks.on('line', async (line) => {
  const { id, ...task }: PackageTask & { id: number } = JSON.parse(line);
  send(id, ...(await settle(task as PackageTask)));
});
// The server has ended, or has closed this process.
tasks.on('close', () => process.exit());
process.stdout.on('error', () => process.exit());
send(startedId, null, null);

function send(id: number, answer: PackageResponse | number | null, picture: Uint8Array | null): void {
  const json = Buffer.from(JSON.stringify(answer));
  const bytes = picture ?? Buffer.alloc(0);
  if (json.length + bytes.length > maxResponseBytes) {
    send(id, failure(new UnreadablePackage(say('too-much-metadata'))), null);
    return;
  }
  const head = Buffer.alloc(responseHeadBytes);
  head.writeUInt32LE(id, 0);
  head.writeUInt32LE(json.length, 4);
  head.writeUInt32LE(bytes.length, 8);
  process.stdout.write(Buffer.concat([head, json, bytes]));
}

async function settle(task: PackageTask): Promise<[PackageResponse, Uint8Array | null]> {
  try {
    const value = await perform(task);
    return value instanceof Uint8Array ? [{ ok: true, value: null }, value] : [{ ok: true, value }, null];
  } catch (error) {
    return [failure(error), null];
  }
}

function failure(error: unknown): PackageResponse {
  const known = error instanceof Error ? error : new Error(String(error));
  // Whether a buffer allocation exceeded the limits of this process.
  const outOfMemory = known instanceof RangeError && /allocation failed/i.test(known.message);
  const message = outOfMemory ? say('too-much-memory') : known.message;
  const unreadable = outOfMemory || known instanceof UnreadablePackage;
  const [shortMessage = '', stack = ''] = [message, known.stack].map((text) =>
    text?.slice(0, maxErrorCharacters),
  );
  return { ok: false, unreadable, message: shortMessage, stack };
}

async function perform(task: PackageTask): Promise<unknown> {
  switch (task.kind) {
    case 'read':
      return (await import('./read-package.ts')).readPackageOrBundle(packagePath);
    case 'read-simulator-zip':
      return (await import('./read-simulator-zip.ts')).readSimulatorZip(packagePath);
    case 'draw-icon':
      return (await import('./icon/draw-icon-from-file.ts')).drawIconOfFile(packagePath, task.choice);
    case 'draw-monogram':
      return (await import('./icon/monogram.ts')).drawMonogram(task.name, task.seed);
    case 'draw-screenshot':
      return (await import('./icon/clean-screenshot.ts')).cleanScreenshotFile(packagePath);
    case 'draw-logo':
      return (await import('./icon/clean-logo.ts')).cleanLogoFile(packagePath);
    case 'verify-signature':
      return (await import('./verify-signature.ts')).verifySignature(packagePath);
    case 'analyze':
      return (await import('./analysis/analyze-package.ts')).analyzePackage(packagePath);
    case 'read-symbols':
      return (await import('./symbols/read-symbol-file.ts')).readSymbolFile(packagePath);
    case 'read-keystore':
      return (await import('./apk/signing/keystore.ts')).readKeystoreFile(packagePath, task);
    case 'convert-bundle':
      return (await import('./read-package.ts')).convertBundle(packagePath, outputPathOf(packagePath), {
        keys: task.keys.map((await import('./apk/signing/signing-key.ts')).decodeSigningKey),
        maxApkBytes: task.maxApkBytes,
        onProgress: createProgress(),
      });
  }
}

/** Reports each percentage once. */
function createProgress(): (part: number) => void {
  let reported = 0;
  return (part) => {
    const percent = Math.floor(part * 100);
    if (percent === reported) return;
    reported = percent;
    send(progressId, percent / 100, null);
  };
}

/**
 * Restricts the network where `package-child.ts` cannot start the process without one: the permission model of
 * Node 24 has no `--allow-net` and leaves the network open, whereas that of Node 25 and later closes it. Does not affect native
 * code, or JavaScript that finds a raw handle.
 */
function closeNetwork(): void {
  const deny = () => {
    throw new Error('the package reader process has no network');
  };
  const denyAll = (target: object) => {
    for (const name of Object.keys(target)) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'function') Reflect.set(target, name, deny);
    }
  };
  net.Socket.prototype.connect = deny;
  // Includes undocumented functions, which listen and create raw handles.
  for (const name of ['connect', 'createConnection', 'createServer', '_createServerHandle'])
    Reflect.set(net, name, deny);
  for (const target of [net.Server.prototype, dgram, dgram.Socket.prototype, dns, dns.promises])
    denyAll(target);
  syncBuiltinESMExports();
}
