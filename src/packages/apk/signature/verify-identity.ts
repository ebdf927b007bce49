import type { SchemeCheck } from './verify-block-schemes.ts';
import type { JarCheck } from './verify-jar.ts';

/**
 * Checks that individually valid schemes have the same signer, so that the package is the same app on every
 * platform: v1 and v2 the same set; v3 the same single one, or one whose rotation history starts with it.
 *
 * @see apksig's ApkVerifier, which has the same checks
 */
export function identityProblems(checks: readonly SchemeCheck[], jar: JarCheck | null): string[] {
  const v2 = checks.find(({ scheme }) => scheme === 'v2');
  const v3 = checks.find(({ scheme }) => scheme === 'v3');
  if (jar !== null && v2 !== undefined && !sameSet(jar.certificates, v2.certificates)) {
    return ['The JAR signature (v1) and the v2 signature have different keys.'];
  }
  const older = jar?.certificates ?? v2?.certificates;
  if (v3 === undefined || older === undefined) return [];
  const [first, ...others] = older;
  if (first === undefined || others.length > 0) {
    return ['The package has a v3 signature with one signer, but older signatures with several.'];
  }
  const lineage = checks.reduce<readonly Buffer[]>(
    (longest, check) => (check.lineage.length > longest.length ? check.lineage : longest),
    [],
  );
  if (lineage.length === 0 && v3.certificates.length !== 1) {
    return ['The package has several v3 signers but no rotation history that connects them.'];
  }
  const origin = lineage[0] ?? v3.certificates[0];
  return origin?.equals(first)
    ? []
    : [
        'The v3 signature has a different key from the older signatures, and its rotation history does not start with theirs.',
      ];
}

function sameSet(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  const within = (inner: readonly Buffer[], outer: readonly Buffer[]) =>
    inner.every((certificate) => outer.some((candidate) => candidate.equals(certificate)));
  return within(one, other) && within(other, one);
}
