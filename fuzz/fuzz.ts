/**
 * Reads malformed packages, verifies their signatures and draws their icons for the given time, and reports findings: an error
 * other than `UnreadablePackage`, an invalid picture, a modified package that verifies, too much time or memory, a crash.
 *
 *   node fuzz/fuzz.ts --seconds 60 [--seed 1] [--from NAME] [--only ITERATION] [--file PACKAGE] [--parts]
 *
 * `--parts` mutates single parts of packages instead, such as a dex file or a Mach-O, and only reads those: thousands a second.
 * `--from` uses only packages with this in their name, such as `bundle`. Exits with 1 after a finding. A seed and an iteration
 * reproduce the same changes, but signing keys are new in each run: a reported package is saved, and `--file` reads it again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type MutatedPackage, mutateSeed } from './mutate-package.ts';
import { createRandom } from './random.ts';
import { startReadingProcess } from './reading-process.ts';
import { collectSeeds } from './seeds.ts';
import type { PackageOutcome } from './stages.ts';

const maxFindings = 20;
const progressMilliseconds = 60_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '' },
    only: { type: 'string' },
    file: { type: 'string' },
    parts: { type: 'boolean', default: false },
  },
});
const reading = startReadingProcess();
const seedNumber = Number(values.seed);
const passes = new Map<string, number>();
const slowest = new Map<string, number>();
let findings = 0;
let packages = 0;

if (values.parts) await takeParts();
else if (values.file === undefined) await takeMany();
else await take({ bytes: readFileSync(values.file), mustNotVerify: false }, values.file);
await reading.close();
if (!values.parts) console.log(summary());
process.exitCode = findings > 0 ? 1 : 0;

async function takeMany(): Promise<void> {
  const seeds = (await collectSeeds()).filter(({ name }) => name.includes(values.from));
  const endsAt = performance.now() + Number(values.seconds) * 1_000;
  let saysAt = performance.now() + progressMilliseconds;
  const first = Number(values.only ?? 0);
  const last = values.only === undefined ? Number.POSITIVE_INFINITY : first;
  console.log(`${seeds.length} seeds`);
  for (let iteration = first; iteration <= last && findings < maxFindings; iteration++) {
    const now = performance.now();
    if (now >= endsAt) break;
    if (now >= saysAt) {
      console.log(summary());
      saysAt = now + progressMilliseconds;
    }
    const random = createRandom(seedNumber * 1_000_003 + iteration);
    const seed = random.pick(seeds);
    await take(mutateSeed(seed, random), `iteration ${iteration} of seed ${seedNumber}, from ${seed.name}`);
  }
}

async function take(task: MutatedPackage, name: string): Promise<void> {
  const outcome = await reading.take(task);
  packages++;
  count(outcome);
  if (outcome.finding === null) return;
  findings++;
  const path = join(tmpdir(), `slipway-fuzz-${process.pid}-${findings}.bin`);
  writeFileSync(path, task.bytes);
  console.log(`${name}: ${outcome.finding}\n  kept in ${path}`);
}

function count({ passed, spent }: PackageOutcome): void {
  for (const what of passed) passes.set(what, (passes.get(what) ?? 0) + 1);
  for (const [stage, milliseconds] of Object.entries(spent))
    slowest.set(stage, Math.max(slowest.get(stage) ?? 0, milliseconds));
}

function summary(): string {
  const list = (counts: Map<string, number>, unit: string) =>
    [...counts].map(([what, amount]) => `${what} ${Math.round(amount)}${unit}`).join(', ');
  return `${packages} packages; came through ${list(passes, '')}; slowest ${list(slowest, ' ms')}; ${findings} findings`;
}

/** Reads mutated parts of packages. A batch that ends the process is named, so that `--seed` repeats it. */
async function takeParts(): Promise<void> {
  const endsAt = performance.now() + Number(values.seconds) * 1_000;
  const counts = new Map<string, { mutations: number; read: number; slowest: number }>();
  let largest = 0;
  for (let batch = 0; performance.now() < endsAt && findings < maxFindings; batch++) {
    const outcome = await reading.takeBatch({ batch, seed: seedNumber });
    if (typeof outcome === 'string') {
      findings++;
      console.log(`batch ${batch} of seed ${seedNumber}: ${outcome}`);
      continue;
    }
    const sum = counts.get(outcome.part) ?? { mutations: 0, read: 0, slowest: 0 };
    sum.mutations += outcome.mutations;
    sum.read += outcome.read;
    sum.slowest = Math.max(sum.slowest, outcome.slowestMilliseconds);
    counts.set(outcome.part, sum);
    largest = Math.max(largest, outcome.residentBytes);
    for (const { text, bytes } of outcome.findings) {
      findings++;
      const path = join(tmpdir(), `slipway-fuzz-${process.pid}-${findings}.bin`);
      writeFileSync(path, bytes);
      console.log(`batch ${batch} of seed ${seedNumber}: ${text}\n  kept in ${path}`);
    }
  }
  let mutations = 0;
  for (const [part, sum] of counts) {
    mutations += sum.mutations;
    console.log(
      `${part}: ${sum.mutations} mutations, ${sum.read} read, slowest ${Math.round(sum.slowest)} ms`,
    );
  }
  console.log(`${mutations} mutations, ${Math.round(largest / 1024 ** 2)} MiB, ${findings} findings`);
}
