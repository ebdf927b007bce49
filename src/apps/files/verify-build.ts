/** Verifies the signature of a build after the upload response and stores the result. Idempotent. */
import type { Data } from '../../db/data.ts';
import { UnreadablePackage } from '../../packages/package-info.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import { buildQueries } from '../builds/build-queries.ts';
import type { WithLocalPackage } from './local-package.ts';

export function createVerifyBuild(deps: {
  data: Data;
  packages: PackageReader;
  withLocalPackage: WithLocalPackage;
}): (buildId: string) => Promise<void> {
  const { data, packages } = deps;
  return async (buildId) => {
    const build = await buildQueries(data).findBuild(buildId);
    if (!build || build.verification !== null) return;
    const verification = await deps.withLocalPackage(build, (path) =>
      packages.verifySignature(path).catch((error) => {
        if (!(error instanceof UnreadablePackage)) throw error;
        return {
          verified: false,
          verifiedFromSdk: null,
          problems: [`The signature could not be read: ${error.message}.`],
        };
      }),
    );
    await buildQueries(data).setVerification(buildId, verification);
  };
}
