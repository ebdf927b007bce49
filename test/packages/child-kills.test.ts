/** Package reader processes are killed repeatedly; only the package that causes it is affected. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../fuzz/random.ts';
import { UnreadablePackage } from '../../src/packages/package-info.ts';
import { createPackageReader } from '../../src/packages/package-reader.ts';
import { buildApk } from '../support/build-apk.ts';
import { watchProcesses } from '../support/watch-processes.ts';

const rounds = 250;
const readersAtOnce = 4;
/** In one of this many rounds a package crashes the process; in the others it is killed from outside, within this time. */
const hostileEvery = 10;
const killWithinMs = 40;

/** Certain bytes crash the process before it reads them. */
const program = `
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', () => {
  if (readFileSync(process.argv[2]).toString('latin1') === 'SIGSEGV') process.kill(process.pid, 'SIGSEGV');
});
import ${JSON.stringify(new URL('../../dist/packages/package-child-main.js', import.meta.url))};
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-kills-'));
  await mkdir(join(folder, 'program'));
  await writeFile(join(folder, 'program', 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'program', 'crashing.js'), program);
  await writeFile(join(folder, 'hostile'), 'SIGSEGV');
});
afterAll(() => rm(folder, { recursive: true }));

describe('the package reader process', () => {
  it(`reads every package that does not crash it, while it is killed or crashed ${rounds} times`, {
    timeout: 600_000,
  }, async () => {
    const random = createRandom(0x51);
    let begun = 0;
    let killed = 0;
    let crashed = 0;

    const play = async (player: number, processes: readonly ChildProcess[]) => {
      const reading = join(folder, `reading-${player}`);
      const entry = join(folder, 'program', 'crashing.js');
      const reader = createPackageReader({ folder: reading, entry });
      const kill = async () => {
        await setTimeout(random.below(killWithinMs));
        const alive = processes.filter(
          ({ exitCode, signalCode, spawnargs }) =>
            exitCode === null && signalCode === null && spawnargs.some((arg) => arg.startsWith(reading)),
        );
        const victim = random.pick(alive);
        const gone = once(victim, 'close');
        victim.kill('SIGKILL');
        killed += 1;
        await gone;
      };
      const crash = async () => {
        const error = await reader.read(join(folder, 'hostile'), 'ann').catch((reason: unknown) => reason);
        expect(error).toEqual(new UnreadablePackage('it crashes the package reader process'));
        crashed += 1;
      };
      while (begun < rounds) {
        const round = begun++;
        const names = ['a', 'b'].map((name) => `com.example.${name}${round}`);
        for (const packageName of names)
          await writeFile(join(folder, packageName), buildApk({ packageName }));
        const [infos] = await Promise.all([
          Promise.all(names.map((name) => reader.read(join(folder, name), 'ann'))),
          round % hostileEvery === 0 ? crash() : kill(),
        ]);
        expect(infos.map(({ info }) => info.packageName)).toEqual(names);
      }
      await reader.close();
    };

    const processes = await watchProcesses(async (started) => {
      await Promise.all(Array.from({ length: readersAtOnce }, (_, player) => play(player, started)));
    });
    expect(killed + crashed).toBe(rounds);
    expect(processes.length).toBeGreaterThan(rounds);
    expect(processes.every(({ exitCode, signalCode }) => exitCode ?? signalCode)).toBe(true);
  });
});
