/** The stages of reading a package, and the outcomes that are findings. */
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { type PackageAnalysis, packageAnalysis } from '../src/packages/analysis/analysis.ts';
import { analyzeFile } from '../src/packages/analysis/analyze-package.ts';
import { maxMessageLength } from '../src/packages/apk/signature/signing-messages.ts';
import { drawIcon, maxIconSidePixels } from '../src/packages/icon/draw-icon.ts';
import { readPngSize } from '../src/packages/ipa/png-chunks.ts';
import {
  type IconChoice,
  type PackageInfo,
  type SignatureVerification,
  UnreadablePackage,
} from '../src/packages/package-info.ts';
import { convertBundleFile, readAnyFile } from '../src/packages/read-package.ts';
import { readSimulatorArchive } from '../src/packages/read-simulator-zip.ts';
import { verifySignature, verifySignatureOfFile } from '../src/packages/verify-signature.ts';
import { openZip } from '../src/packages/zip/open-zip.ts';
import { fileInMemory } from '../test/support/build-zip.ts';
import { createTestKey } from '../test/support/test-key.ts';

const key = createTestKey('rsa-2048');
const apkPath = join(tmpdir(), `slipway-fuzz-${process.pid}.apk`);
process.on('exit', () => rmSync(apkPath, { force: true }));

export type Stage =
  | 'facts'
  | 'analysis'
  | 'conversion'
  | 'APK'
  | 'drawing'
  | 'verification'
  | 'simulator zip';

export interface PackageOutcome {
  /** The finding; null when there is none. */
  finding: string | null;
  /** Whether it exceeded the time limit. */
  slow: string | null;
  /** The completed stages. */
  passed: (Stage | 'verified' | 'drawn')[];
  /** Milliseconds of processor time. */
  spent: Partial<Record<Stage, number>>;
  residentBytes: number;
  /** Peak memory of the process. */
  peakBytes: number;
}

/** Milliseconds of processor time for a small generated package. */
const maxMilliseconds: Record<Stage, number> = {
  facts: 1_500,
  analysis: 2_000,
  conversion: 2_000,
  APK: 2_000,
  drawing: 5_000,
  verification: 10_000,
  'simulator zip': 1_500,
};
const maxFactsBytes = 4 * 1024 * 1024;
const maxProblems = 1_000;

export async function takePackage(bytes: Buffer, mustNotVerify: boolean): Promise<PackageOutcome> {
  const outcome: PackageOutcome = {
    finding: null,
    slow: null,
    passed: [],
    spent: {},
    residentBytes: 0,
    peakBytes: 0,
  };

  async function run<T>(
    stage: Stage,
    action: () => Promise<T>,
    judge: (value: T) => string | null,
  ): Promise<T | null> {
    const before = process.cpuUsage();
    const settled = await action().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const { user, system } = process.cpuUsage(before);
    const milliseconds = (user + system) / 1_000;
    outcome.spent[stage] = milliseconds;
    if (milliseconds > maxMilliseconds[stage])
      outcome.slow ??= `${stage} took ${Math.round(milliseconds)} ms`;
    const fault = 'error' in settled ? judgeError(settled.error) : judge(settled.value);
    if (fault !== null) outcome.finding ??= `${stage} ${fault}`;
    if ('error' in settled) return null;
    outcome.passed.push(stage);
    return settled.value;
  }

  const file = fileInMemory(bytes);
  const read = await run(
    'facts',
    () => readAnyFile(file),
    ({ info }) => judgeFacts(info),
  );
  await run('analysis', () => analyzeFile(file), judgeAnalysis);
  const info = read?.info;
  if (read?.conversion) {
    const made = await run(
      'conversion',
      () => convertBundleFile(file, apkPath, { keys: [key] }),
      ({ sizeBytes }) =>
        judgeFacts(read.info) ?? (sizeBytes === statSync(apkPath).size ? null : 'miscounted'),
    );
    if (made) await run('APK', () => verifySignature(apkPath), judgeApk);
  }
  const { icon = null } = info ?? {};
  if (icon) {
    const png = await run('drawing', () => draw(bytes, icon), judgeIcon);
    if (png) outcome.passed.push('drawn');
  }
  const verification = await run(
    'verification',
    () => verifySignatureOfFile(file),
    (value) => judgeVerification(value, mustNotVerify),
  );
  if (verification?.verified) outcome.passed.push('verified');
  if (bytes.includes('.app/')) {
    await run(
      'simulator zip',
      async () => readSimulatorArchive(await openZip(file)),
      (zip) => (zip.bundleIdentifier === '' || zip.name === '' ? 'gave no name' : null),
    );
  }
  outcome.residentBytes = process.memoryUsage.rss();
  outcome.peakBytes = process.resourceUsage().maxRSS * 1024;
  return outcome;
}

/** Conversion has compared the facts of the APK with those of the bundle. */
const judgeApk = ({ verified, problems }: SignatureVerification) =>
  verified ? null : `did not verify: ${problems[0]}`;

async function draw(bytes: Buffer, icon: IconChoice): Promise<Buffer | null> {
  return drawIcon(await openZip(fileInMemory(bytes)), icon);
}

function judgeError(error: unknown): string | null {
  if (!(error instanceof UnreadablePackage))
    return `threw ${error instanceof Error ? error.stack : String(error)}`;
  return isSentence(error.message) ? null : `said ${error.message.slice(0, 1_000)}`;
}

/** A refusal is one short line; so is each problem of a signature. */
function isSentence(text: string): boolean {
  return text.length > 0 && text.length <= maxMessageLength && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

function judgeFacts(info: PackageInfo): string | null {
  const json = JSON.stringify(info);
  if (json.length > maxFactsBytes) return `gave ${json.length} bytes of facts`;
  if (JSON.stringify(structuredClone(info)) !== json) return 'gave facts that do not cross to another thread';
  if (info.name === '' || info.packageName === '') return 'gave no name';
  if (/\\u0000|\\ud[89a-f]/i.test(json)) return `gave zeros or half characters: ${json.slice(0, 1_000)}`;
  if (Number.isNaN(info.targetSdkVersion)) return 'gave a number that is none';
  return null;
}

/** The server accepts nothing else from the process that reads packages. */
function judgeAnalysis(analysis: PackageAnalysis): string | null {
  if (!v.safeParse(packageAnalysis, analysis).success) return 'gave an analysis that the server refuses';
  const { length } = JSON.stringify(analysis);
  return length > maxFactsBytes ? `gave ${length} bytes of analysis` : null;
}

function judgeIcon(png: Buffer | null): string | null {
  if (png === null) return null;
  const size = readPngSize(png);
  if (size === null) return 'gave something else than a PNG';
  const longer = Math.max(size.width, size.height);
  return longer > maxIconSidePixels ? `gave ${longer} pixels` : null;
}

function judgeVerification(
  { verified, verifiedFromSdk, problems }: SignatureVerification,
  mustNotVerify: boolean,
): string | null {
  if (verified && mustNotVerify) return 'verified a package that was changed after it was signed';
  if (verified !== (problems.length === 0))
    return `said verified ${verified} with ${problems.length} problems`;
  if (!verified && verifiedFromSdk !== null) return 'did not verify, but from some platform on';
  if (problems.length > maxProblems) return `gave ${problems.length} problems`;
  const odd = problems.find((problem) => !isSentence(problem));
  return odd === undefined ? null : `gave the problem ${odd.slice(0, 1_000)}`;
}
