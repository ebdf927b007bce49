/** Verifies the signature of a build after the upload response and stores the result. Idempotent. */

import type { Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import { say } from '../../packages/messages/package-messages.ts';
import { UnreadablePackage } from '../../packages/package-info.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import { installedFile } from '../app.ts';
import { buildQueries } from '../builds/build-queries.ts';
import type { WithLocalPackage } from './local-package.ts';

export function createVerifyBuild(deps: {
  data: Data;
  packages: PackageReader;
  withLocalPackage: WithLocalPackage;
  now: () => number;
  /** Called after the commit, when the outbox contains the event. */
  wakeOutbox: () => void;
}): (buildId: string, ownerId: string) => Promise<void> {
  const { data, packages } = deps;
  return async (buildId, ownerId) => {
    const build = await buildQueries(data).findBuild(buildId);
    const installed = build && installedFile(build);
    if (!installed || build.verification !== null) return;
    const verification = await deps.withLocalPackage(installed, (path) =>
      packages.verifySignature(path, ownerId).catch((error) => {
        if (!(error instanceof UnreadablePackage)) throw error;
        return {
          verified: false,
          verifiedFromSdk: null,
          problems: [say('signature-unreadable', { reason: error.message })],
        };
      }),
    );
    await data.transaction(async (tx) => {
      await buildQueries(tx).setVerification(buildId, verification);
      await eventQueries(tx).dispatch(ownerId, { type: 'build.verified', buildId }, deps.now());
    });
    deps.wakeOutbox();
  };
}
