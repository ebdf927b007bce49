/** `slipway migrate` and `slipway sweep`. */
import { buildQueries } from '../apps/builds/build-queries.ts';
import { openBlobStore } from '../blobs/open-blob-store.ts';
import { sweepAgeMs, sweepBlobs } from '../blobs/sweep-blobs.ts';
import { formatBytes } from '../core/byte-size.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { type CommandIo, print } from './command-io.ts';
import { findLockHolder, serverLockPath, withData, withNewData } from './with-data.ts';

export async function runMigrate(io: CommandIo, options: { json?: boolean }): Promise<void> {
  await withNewData(io, async ({ migrated }) => {
    const sentence = migrated.length > 0 ? `Applied ${migrated.join(', ')}.` : 'The schema is up to date.';
    print(io, options.json ?? false, { applied: migrated }, sentence);
  });
}

export async function runSweep(io: CommandIo, options: { json?: boolean }): Promise<void> {
  await withData(io, async ({ config, data }) => {
    const store = await openBlobStore(config.blobs);
    // A running server may still add the row of a blob that it has stored since it started, even if the clock jumped forward.
    const server = findLockHolder(serverLockPath(config.dataFolder));
    const before = Math.min(Date.now() - sweepAgeMs, server?.since ?? Number.POSITIVE_INFINITY);
    const swept = await sweepBlobs({ store, isNamed: buildQueries(data).namedBlobs, before });
    const recounted = await quotaQueries(data).countWrongTotals();
    if (recounted > 0) await data.transaction((tx) => quotaQueries(tx).recalculateTotals());
    const facts = { removed: swept.removed, freed_bytes: swept.freedBytes, kept: swept.kept, recounted };
    const counted =
      recounted > 0
        ? ` Recalculated ${recounted} wrong storage ${recounted === 1 ? 'total' : 'totals'}.`
        : '';
    const sentence = `Removed ${swept.removed} files, ${formatBytes(swept.freedBytes)}.${counted}`;
    print(io, options.json ?? false, facts, sentence);
  });
}
