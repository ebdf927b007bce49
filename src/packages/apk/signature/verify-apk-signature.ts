import { say } from '../../messages/package-messages.ts';
import type { SignatureVerification } from '../../package-info.ts';
import type { ZipArchive } from '../../zip/zip-archive.ts';
import { findJarSigners } from './jar-signers.ts';
import type { ContentDigestKind } from './signature-algorithms.ts';
import { readContentDigests } from './signature-content-digest.ts';
import { verityPageBytes } from './signature-verity-digest.ts';
import { findSigningBlock, type SigningBlock, SigningBlockId } from './signing-block.ts';
import { MalformedSigningData } from './signing-bytes.ts';
import { truncateMessage } from './signing-messages.ts';
import { type BlockScheme, readBlockSigners } from './signing-schemes.ts';
import { checkSchemeV2, checkSchemeV3, firstSdkOf, type SchemeCheck } from './verify-block-schemes.ts';
import { createJarVerifier, type JarCheck, type JarVerifier } from './verify-jar.ts';
import { type RotatingSigner, withHistory } from './verify-lineage.ts';

export interface ApkPlatforms {
  /** As in `PackageInfo`. */
  minSdkVersion: number;
  targetSdkVersion: number;
}

/** Platforms that changed signature verification; a v3 or v3.1 signer adds its first platform. */
const behaviorChangeSdks = [9, 18, 19, 21, 22, 24, 28, 33] as const;
/** A signer for later platforms than this counts as a signer for no platform. */
const latestPlausibleSdk = 99;
/** Android 11 rejects packages that target this level or later and have only a JAR signature. */
const schemeV2RequiredSinceTarget = 30;

/**
 * Verifies the signature like Android, and hashes the package. Finds the lowest platform, not below the package's minimum, from
 * which on every platform accepts the package. Follows the rules of apksig's ApkVerifier for the range from that platform on.
 * Rejects only if the file cannot be read; an invalid signature is reported as a problem.
 */
export async function verifyApkSignature(
  archive: ZipArchive,
  { minSdkVersion, targetSdkVersion }: ApkPlatforms,
): Promise<SignatureVerification> {
  const signed = await readSigned(archive);
  if (signed.schemes.size === 0 && findJarSigners(archive).length === 0) {
    return unverified(signed, [say('not-signed')]);
  }
  let problems: string[] = [];
  for (const fromSdk of candidateSdks(signed, minSdkVersion)) {
    problems = await problemsFrom(signed, fromSdk, targetSdkVersion);
    if (problems.length === 0) return { verified: true, verifiedFromSdk: fromSdk, problems: [] };
  }
  return unverified(signed, problems);
}

function unverified({ blockProblem }: Signed, problems: string[]): SignatureVerification {
  const all = blockProblem === null ? problems : [blockProblem, ...problems];
  return { verified: false, verifiedFromSdk: null, problems: all.map(truncateMessage) };
}

/** The parsed package, with results cached across the checked platforms. */
interface Signed {
  archive: ZipArchive;
  block: SigningBlock | null;
  blockProblem: string | null;
  /** The signers of each scheme present, or why they cannot be read. */
  schemes: ReadonlyMap<BlockScheme, ReadSigners>;
  contentDigests: Map<ContentDigestKind, Buffer>;
  jar: JarVerifier;
}

type ReadSigners = RotatingSigner[] | MalformedSigningData;

async function readSigned(archive: ZipArchive): Promise<Signed> {
  const { block, problem } = await findSigningBlock(archive);
  const schemes = new Map<BlockScheme, ReadSigners>();
  for (const [scheme, id] of [
    ['v2', SigningBlockId.v2],
    ['v3', SigningBlockId.v3],
    ['v3.1', SigningBlockId.v31],
  ] as const) {
    const value = block?.values.get(id);
    if (value !== undefined) schemes.set(scheme, signersOrProblem(value, scheme));
  }
  return {
    archive,
    block,
    blockProblem: problem,
    schemes,
    contentDigests: new Map(),
    jar: createJarVerifier(archive),
  };
}

function signersOrProblem(value: Buffer, scheme: BlockScheme): ReadSigners {
  try {
    return withHistory(readBlockSigners(value, scheme), scheme);
  } catch (cause) {
    if (cause instanceof MalformedSigningData) return cause;
    throw cause;
  }
}

function candidateSdks({ schemes }: Signed, minSdkVersion: number): number[] {
  const signers = [...schemes.values()].flatMap((read) => (Array.isArray(read) ? read : []));
  const starts = signers.flatMap(({ platforms }) => platforms?.minSdk ?? []);
  const later = [...behaviorChangeSdks, ...starts].filter(
    (sdk) => sdk > minSdkVersion && sdk <= latestPlausibleSdk,
  );
  return [minSdkVersion, ...new Set(later.sort((a, b) => a - b))];
}

/** Returns why any platform from `fromSdk` on rejects the package. */
async function problemsFrom(signed: Signed, fromSdk: number, targetSdkVersion: number): Promise<string[]> {
  const checks: SchemeCheck[] = [];
  for (const check of schemeChecks(signed, fromSdk)) {
    const problems = check.problems.length > 0 ? check.problems : await contentProblems(signed, check);
    if (problems.length > 0) return problems;
    checks.push(check);
  }
  const usesJar = fromSdk < firstSdkOf.v2 || checks.length === 0;
  const jar = usesJar ? await checkJarScheme(signed, checks, fromSdk) : null;
  if (jar !== null && jar.problems.length > 0) return jar.problems;
  if (checks.length === 0 && targetSdkVersion >= schemeV2RequiredSinceTarget) {
    return [say('v2-required', { target: targetSdkVersion })];
  }
  return identityProblems(checks, jar);
}

async function checkJarScheme(signed: Signed, checks: SchemeCheck[], fromSdk: number): Promise<JarCheck> {
  const found = new Set(checks.map(({ scheme }) => Math.trunc(Number(scheme.slice(1)))));
  return signed.jar.check(fromSdk, found);
}

/** Yields checks, newest first. Android 9 and later use v2 only if there is neither v3 nor v3.1. */
function* schemeChecks(signed: Signed, fromSdk: number): Generator<SchemeCheck> {
  const has = (scheme: BlockScheme) => signed.schemes.has(scheme);
  let rotationMinSdk: number | null = null;
  if (has('v3.1')) {
    yield checkScheme(signed, 'v3.1', (signers) => {
      rotationMinSdk = Math.min(...signers.map(({ platforms }) => platforms?.minSdk ?? 0));
      return checkSchemeV3('v3.1', signers, Math.max(fromSdk, firstSdkOf['v3.1']), null);
    });
    if (!has('v3')) yield failed('v3', say('v3-missing'));
  }
  if (has('v3')) {
    yield checkScheme(signed, 'v3', (signers) =>
      checkSchemeV3('v3', signers, Math.max(fromSdk, firstSdkOf.v3), rotationMinSdk),
    );
  }
  if (has('v2') && (fromSdk < firstSdkOf.v3 || !has('v3'))) {
    yield checkScheme(signed, 'v2', (signers) =>
      checkSchemeV2(signers, Math.max(fromSdk, firstSdkOf.v2), has('v3')),
    );
  }
}

function checkScheme(
  signed: Signed,
  scheme: BlockScheme,
  check: (signers: RotatingSigner[]) => SchemeCheck,
): SchemeCheck {
  const signers = signed.schemes.get(scheme) ?? [];
  return Array.isArray(signers)
    ? check(signers)
    : failed(scheme, say('scheme-damaged', { scheme, reason: signers.message }));
}

function failed(scheme: BlockScheme, problem: string): SchemeCheck {
  return { scheme, problems: [problem], expectedDigests: [], certificates: [], lineage: [] };
}

/** Compares the file with the signed digests. */
async function contentProblems(signed: Signed, check: SchemeCheck): Promise<string[]> {
  const { archive, block, contentDigests } = signed;
  if (block === null) return [];
  const kinds = new Set(check.expectedDigests.map(({ kind }) => kind));
  const aligned = block.position % verityPageBytes === 0 && block.sizeBytes % verityPageBytes === 0;
  if (kinds.has('verity-sha256') && !aligned) {
    return [say('verity-not-aligned', { scheme: check.scheme })];
  }
  const missing = new Set([...kinds].filter((kind) => !contentDigests.has(kind)));
  if (missing.size > 0) {
    for (const [kind, digest] of await readContentDigests(archive, block, missing))
      contentDigests.set(kind, digest);
  }
  const right =
    check.expectedDigests.length > 0 &&
    check.expectedDigests.every(({ kind, value }) => contentDigests.get(kind)?.equals(value));
  return right ? [] : [say('content-changed', { scheme: check.scheme })];
}

/**
 * Checks that schemes which are valid by themselves have the same signer, so that the package is the same app on every platform:
 * v1 and v2 have the same set of signers; v3 has the same single signer, or one with a rotation history that starts with it.
 * @see apksig's ApkVerifier, which has the same checks
 */
export function identityProblems(checks: readonly SchemeCheck[], jar: JarCheck | null): string[] {
  const v2 = checks.find(({ scheme }) => scheme === 'v2');
  const v3 = checks.find(({ scheme }) => scheme === 'v3');
  if (jar !== null && v2 !== undefined && !sameSet(jar.certificates, v2.certificates)) {
    return [say('different-keys')];
  }
  const older = jar?.certificates ?? v2?.certificates;
  if (v3 === undefined || older === undefined) return [];
  const [first, ...others] = older;
  if (first === undefined || others.length > 0) {
    return [say('several-older-signers')];
  }
  const lineage = checks.reduce<readonly Buffer[]>(
    (longest, check) => (check.lineage.length > longest.length ? check.lineage : longest),
    [],
  );
  if (lineage.length === 0 && v3.certificates.length !== 1) {
    return [say('several-v3-signers')];
  }
  const origin = lineage[0] ?? v3.certificates[0];
  return origin?.equals(first) ? [] : [say('other-origin')];
}

function sameSet(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  const within = (inner: readonly Buffer[], outer: readonly Buffer[]) =>
    inner.every((certificate) => outer.some((candidate) => candidate.equals(certificate)));
  return within(one, other) && within(other, one);
}
