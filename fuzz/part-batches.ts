/** Mutates parts of packages in batches, and reads each of them within the limits of time and memory. */
import { UnreadablePackage } from '../src/packages/package-info.ts';
import { analyzerParts } from './analyzer-parts.ts';
import { archiveParts } from './archive-parts.ts';
import type { Part } from './part.ts';
import { createRandom } from './random.ts';

export interface PartBatch {
  /** Counts the batches: decides the part, and with `seed` the mutations. */
  batch: number;
  seed: number;
}

export interface BatchOutcome {
  part: string;
  mutations: number;
  /** How many were read without an error. */
  read: number;
  /** A description, and the content that caused it. */
  findings: { text: string; bytes: Buffer }[];
  slowestMilliseconds: number;
  residentBytes: number;
}

const maxPartMilliseconds = 2_000;
/** Above the peak of everything before, what one input takes. */
const maxPartGrowthBytes = 96 * 1024 ** 2;
/** Seeds of different batches do not overlap. */
const mutationsOfBatch = 500;

let parts: Promise<Part[]> | undefined;

const allParts = async () => [...(await analyzerParts()), ...(await archiveParts())];
const peakBytes = () => process.resourceUsage().maxRSS * 1024;

/** Damaged content may be refused with `UnreadablePackage`, or by a read past its end; the analyzer lists either as a gap. */
export async function takeBatch({ batch, seed }: PartBatch): Promise<BatchOutcome> {
  parts ??= allParts();
  const all = await parts;
  const part = all[batch % all.length] as Part;
  // The first round compiles the readers, and the heap grows to its normal size.
  const isWarm = batch >= all.length;
  const outcome: BatchOutcome = {
    part: part.name,
    mutations: 0,
    read: 0,
    findings: [],
    slowestMilliseconds: 0,
    residentBytes: 0,
  };
  for (let index = 0; index < part.batch; index++) {
    const random = createRandom(seed * 1_000_003 + batch * mutationsOfBatch + index);
    const bytes = part.make(random);
    const [before, peakBefore] = [process.cpuUsage(), peakBytes()];
    const text = await problemOf(part, bytes);
    const { user, system } = process.cpuUsage(before);
    const milliseconds = (user + system) / 1_000;
    const growth = peakBytes() - peakBefore;
    outcome.mutations++;
    outcome.slowestMilliseconds = Math.max(outcome.slowestMilliseconds, milliseconds);
    const report = (what: string) => outcome.findings.push({ text: `${part.name} ${what}`, bytes });
    if (text === null) outcome.read++;
    else if (text !== '') report(`threw ${text}`);
    if (milliseconds > maxPartMilliseconds) report(`took ${Math.round(milliseconds)} ms`);
    if (isWarm && growth > maxPartGrowthBytes) report(`took ${Math.round(growth / 1024 ** 2)} MiB`);
  }
  outcome.residentBytes = process.memoryUsage.rss();
  return outcome;
}

/** Null if it was read, empty if it was refused. */
async function problemOf({ read }: Part, bytes: Buffer): Promise<string | null> {
  try {
    await read(bytes);
    return null;
  } catch (error) {
    if (error instanceof UnreadablePackage) return '';
    // A read past the end names its offset or length; endless recursion and too large arrays are errors of the reader.
    if (error instanceof RangeError && 'code' in error) return '';
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
