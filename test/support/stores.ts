/** Combinations of databases and blob stores. `npm test` has one; S3 is combined with one database, if available. */
import { runsEverything } from './runs-everything.ts';
import { hasS3 } from './s3-service.ts';
import type { DialectName } from './test-database.ts';

/** `s3` redirects clients to the store, `s3-streamed` sends its bytes through Slipway. */
export type BlobsName = 'disk' | 'memory' | 's3' | 's3-streamed';

interface Stores {
  dialect: DialectName;
  blobs: BlobsName;
}

const main: Stores = { dialect: 'sqlite', blobs: 'disk' };

const withMain = (others: readonly Stores[]): readonly Stores[] =>
  runsEverything ? [main, ...others] : [main];
const onS3 = (blobs: BlobsName): Stores[] => (hasS3 ? [{ dialect: 'sqlite', blobs }] : []);

/** Each database and each store at least once, for files as they are stored and sent. */
export const crossedStores = withMain([{ dialect: 'postgres', blobs: 'memory' }, ...onS3('s3')]);

/** For tests that require Slipway to send the bytes itself. */
export const streamingStores = withMain([{ dialect: 'postgres', blobs: 'memory' }, ...onS3('s3-streamed')]);

/** Every pair, for what reaches both. */
export const everyStore = withMain([
  { dialect: 'sqlite', blobs: 'memory' },
  { dialect: 'postgres', blobs: 'disk' },
  { dialect: 'postgres', blobs: 'memory' },
  ...onS3('s3'),
]);
