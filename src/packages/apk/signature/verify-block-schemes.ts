import { say } from '../../messages/package-messages.ts';
import { signerAttribute, V3Attribute } from './signing-lineage.ts';
import { allLaterSdks, type BlockScheme, type BlockSigner } from './signing-schemes.ts';
import { type BlockSignerCheck, checkBlockSigner, type ExpectedDigest } from './verify-block-signer.ts';
import { isSameHistory, type RotatingSigner } from './verify-lineage.ts';

/** First platform that reads each scheme. */
export const firstSdkOf: Readonly<Record<BlockScheme, number>> = { v2: 24, v3: 28, 'v3.1': 33 };

/** On a v2 signer: uint32 number of a newer scheme that the package must also have, so that it cannot be removed unnoticed. */
const strippingProtectionAttribute = 0xbeeff00d;

/** The result of checking a scheme, without the comparison of file digests. */
export interface SchemeCheck {
  scheme: BlockScheme;
  problems: string[];
  expectedDigests: ExpectedDigest[];
  /** The certificate of each signer, in order. */
  certificates: Buffer[];
  /** The longest rotation history, oldest first; empty without rotation. */
  lineage: Buffer[];
}

/** Checks the signers of scheme v2 for platforms from `fromSdk` on. */
export function checkSchemeV2(signers: BlockSigner[], fromSdk: number, hasV3: boolean): SchemeCheck {
  const checks = signers.map((signer, index) =>
    checkBlockSigner(signer, { scheme: 'v2', number: index + 1 }, fromSdk),
  );
  const problems = signers.flatMap((signer, index) => strippingProblem(signer, index, hasV3) ?? []);
  return { ...combine('v2', signers, checks), problems: [...problemsOf(checks), ...problems], lineage: [] };
}

function strippingProblem(signer: BlockSigner, index: number, hasV3: boolean): string | null {
  const values = signer.attributes
    .filter(({ id }) => id === strippingProtectionAttribute)
    .map(({ value }) => value);
  if (values.some(({ length }) => length < 4)) return say('scheme-attribute-damaged', { number: index + 1 });
  return !hasV3 && values.some((value) => value.readUInt32LE(0) === 3) ? say('v3-removed') : null;
}

/**
 * Checks the signers of scheme v3 or v3.1, and that every platform from `fromSdk` on has one.
 *
 * @param rotationMinSdk the platform at which v3.1 signers replace v3 ones; null without v3.1 signers
 */
export function checkSchemeV3(
  scheme: 'v3' | 'v3.1',
  signers: RotatingSigner[],
  fromSdk: number,
  rotationMinSdk: number | null,
): SchemeCheck {
  const checks = signers.map((signer, index) => {
    const firstSdk = Math.max(signer.platforms?.minSdk ?? 0, firstSdkOf[scheme]);
    return checkBlockSigner(signer, { scheme, number: index + 1 }, firstSdk);
  });
  const problems = [
    ...problemsOf(checks),
    ...signers.flatMap(({ history }) => history.problem ?? []),
    ...coverageProblems(scheme, signers, fromSdk, rotationMinSdk),
    ...rotationProblems(scheme, signers, rotationMinSdk),
    ...historyProblems(scheme, signers),
  ];
  const histories = signers.map(({ history }) => history.certificates);
  const lineage = histories.reduce(
    (longest, history) => (history.length > longest.length ? history : longest),
    [],
  );
  return { ...combine(scheme, signers, checks), problems, lineage };
}

function problemsOf(checks: BlockSignerCheck[]): string[] {
  return checks.flatMap(({ problems }) => problems);
}

function combine(scheme: BlockScheme, signers: BlockSigner[], checks: BlockSignerCheck[]) {
  const expectedDigests = checks.flatMap((check) => check.expectedDigests);
  return {
    scheme,
    expectedDigests,
    certificates: signers.flatMap(({ certificates }) => certificates.slice(0, 1)),
  };
}

/** Ranges of signers must neither overlap nor leave gaps. Those of v3.1 may start later, because v3 covers the rest. */
function coverageProblems(
  scheme: 'v3' | 'v3.1',
  signers: BlockSigner[],
  fromSdk: number,
  rotationMinSdk: number | null,
): string[] {
  const inOrder = inPlatformOrder(signers);
  for (const [index, { platforms, signer }] of inOrder.entries()) {
    const previous = inOrder[index - 1]?.platforms;
    if (previous === undefined || platforms.minSdk === previous.maxSdk + 1) continue;
    const forDevRelease = signerAttribute(signer, V3Attribute.rotationOnDevRelease) !== null;
    if (platforms.minSdk === previous.maxSdk && forDevRelease) continue;
    return [say('signers-overlap', { scheme })];
  }
  const first = inOrder[0]?.platforms.minSdk ?? 0;
  const last = inOrder.at(-1)?.platforms.maxSdk ?? 0;
  const lastNeeded = rotationMinSdk === null ? allLaterSdks : rotationMinSdk - 1;
  if ((scheme === 'v3' && first > fromSdk) || last < lastNeeded) {
    return [say('signers-limited', { scheme, first, last })];
  }
  return [];
}

function inPlatformOrder<Signer extends BlockSigner>(signers: readonly Signer[]) {
  return signers
    .flatMap((signer) => (signer.platforms === null ? [] : [{ signer, platforms: signer.platforms }]))
    .sort((a, b) => a.platforms.maxSdk - b.platforms.maxSdk);
}

/** A v3 signer states the first platform of the v3.1 signer; a missing v3.1 block was removed. */
function rotationProblems(
  scheme: 'v3' | 'v3.1',
  signers: BlockSigner[],
  rotationMinSdk: number | null,
): string[] {
  if (scheme === 'v3.1') return [];
  return signers.flatMap((signer) => {
    const value = signerAttribute(signer, V3Attribute.rotationMinSdk);
    if (value === null) return [];
    if (value.length < 4) return [say('rotation-attribute-damaged')];
    const stated = value.readUInt32LE(0);
    if (rotationMinSdk === null) {
      return [say('v31-removed', { sdk: stated })];
    }
    return stated === rotationMinSdk
      ? []
      : [say('rotation-disagrees', { sdk: stated, start: rotationMinSdk })];
  });
}

/** The histories of later platforms must extend earlier ones. */
function historyProblems(scheme: BlockScheme, signers: readonly RotatingSigner[]): string[] {
  let longest: Buffer[] = [];
  for (const { signer } of inPlatformOrder(signers)) {
    const { certificates } = signer.history;
    if (certificates.length === 0) continue;
    if (certificates.length < longest.length || !isSameHistory(longest, certificates)) {
      return [say('histories-inconsistent', { scheme })];
    }
    longest = certificates;
  }
  return [];
}
