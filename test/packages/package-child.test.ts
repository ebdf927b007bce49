/** The permissions of the package reader process, and its effect on the server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeSigningKey } from '../../src/packages/apk/signing/signing-key.ts';
import { canCloseNetwork } from '../../src/packages/package-child.ts';
import { UnreadablePackage } from '../../src/packages/package-info.ts';
import { createPackageReader, type PackageReader } from '../../src/packages/package-reader.ts';
import { maxApkBytes } from '../../src/packages/zip/write-zip.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { createTestKey } from '../support/test-key.ts';
import { watchProcesses } from '../support/watch-processes.ts';

const program = (name: string) => fileURLToPath(new URL(`./programs/${name}`, import.meta.url));

let folder: string;
let reader: PackageReader;

const lost: Error[] = [];

function open(name: string): PackageReader {
  lost.length = 0;
  const onLost = (error: Error) => lost.push(error);
  reader = createPackageReader({ folder: join(folder, 'reading'), entry: program(name), onLost });
  return reader;
}

const key = encodeSigningKey(createTestKey('rsa-2048'));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-process-'));
});
afterEach(async () => {
  await reader.close();
  await rm(folder, { recursive: true });
});

async function save(name: string, bytes: Buffer | string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/** Returns the permissions that the process reports while `work` uses the reader. */
async function probed(work: () => Promise<void>): Promise<string> {
  let said = '';
  await watchProcesses(async (processes) => {
    open('probe.ts');
    const done = work();
    const errors = processes[0]?.stderr;
    errors?.on('data', (text: string) => {
      said += text;
    });
    await done;
    while (errors && !said.includes('\n')) await once(errors, 'data');
  });
  return said;
}

describe('the package reader process', () => {
  it('has a lower priority for work that nobody waits for', async () => {
    const apk = await save('a.apk', buildApk());
    reader = createPackageReader({ folder: join(folder, 'reading') });
    const processes = await watchProcesses(async () => {
      await reader.read(apk, 'ann');
      await reader.verifySignature(apk, 'ann');
    });
    const lowered = processes.map(({ pid }) => getPriority(pid) - getPriority());
    expect(lowered).toEqual([0, constants.priority.PRIORITY_BELOW_NORMAL]);
  });

  it('can read only the package and its own code, whatever the server environment', async () => {
    process.env.SLIPWAY_SECRET_OF_THE_TEST = 'secret';
    const apk = await save('a.apk', buildApk());
    const said = await probed(async () => {
      expect((await reader.read(apk, 'ann')).info.packageName).toBe('com.example.test');
    });
    delete process.env.SLIPWAY_SECRET_OF_THE_TEST;
    const { done, environment, interfaces } = JSON.parse(said);
    // The kernel's answer, whatever JavaScript may do.
    if (await canCloseNetwork()) expect(interfaces).toEqual([]);
    else expect(interfaces).not.toEqual([]);
    expect(done).toEqual(['read the package']);
    const own = ['MALLOC_ARENA_MAX', 'UV_THREADPOOL_SIZE'];
    // The shell that sets the limits adds its working folder.
    expect(environment.filter((name: string) => name !== 'PWD')).toEqual(own);
  });

  it('can write only the APK that it makes', async () => {
    const bundle = await save('a.aab', buildBundle());
    const said = await probed(async () => {
      const request = { keys: [key], contentBytes: 1, maxApkBytes, onProgress: () => undefined };
      const { dispose } = await reader.convertBundle(bundle, 'ann', request);
      await dispose();
    });
    expect(JSON.parse(said).done).toEqual(['read the package', 'write an APK']);
  });

  it.runIf(runsEverything)('ends when its server is killed', async () => {
    open('probe.ts');
    const apk = await save('a.apk', buildApk());
    const server = spawn(process.execPath, [program('server.ts'), join(folder, 'of-the-server'), apk], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(server.stdout, 'data');
    const pids: number[] = JSON.parse(String(line));
    expect(pids).toHaveLength(2);
    server.kill('SIGKILL');
    await once(server, 'exit');
    // They keep its output open until they end.
    await Promise.all(pids.map(untilGone));
  });
});

async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a compromised package reader process', () => {
  const zip = { bundleIdentifier: 'com.example.test', appFolder: 'a', name: 'a', minimumOsVersion: null };
  const answer = { ok: true, value: zip };
  const tell = (behavior: string, told: unknown = answer) =>
    save('package', JSON.stringify({ behavior, answer: told }));

  it.each(['answer', 'answer in pieces', 'answer twice', 'a flood of errors'])(
    'is accepted while it sends one valid response: %s',
    async (behavior) => {
      open('impostor.mjs');
      expect(await reader.readSimulatorZip(await tell(behavior), 'ann')).toEqual(zip);
      expect(await reader.readSimulatorZip(await tell('answer'), 'ann')).toEqual(zip);
    },
  );

  it.each([
    'answer to nothing',
    'a picture in place of facts',
    'announce 4 GiB',
    'SIGSEGV',
    ...(runsEverything ? ['start twice', 'no JSON', 'a flood', 'SIGKILL', 'SIGABRT', 'exit'] : []),
  ])('affects only its own package: %s', async (behavior) => {
    open('impostor.mjs');
    const processes = await watchProcesses(async () => {
      const before = process.memoryUsage().rss;
      await expect(reader.readSimulatorZip(await tell(behavior), 'ann')).rejects.toEqual(
        new UnreadablePackage('it crashes the package reader process'),
      );
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
      expect(await reader.readSimulatorZip(await tell('answer'), 'ann')).toEqual(zip);
    });
    // The package, its second attempt, and the next one.
    expect(processes).toHaveLength(3);
    expect(lost).toHaveLength(2);
    expect(lost[0]?.message).toMatch(/^the package reader process ended \((SIG[A-Z]+|exit code 0)\): /);
  });
});
