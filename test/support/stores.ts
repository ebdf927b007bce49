/**
 * Combinations of databases and blob stores: all pairs for the most important tests, each at least once for the rest.
 * S3 is combined with one database, if available.
 */
import { runsEveryPair } from './runs-every-pair.ts';
import { hasS3 } from './s3-service.ts';
import { type DialectName, dialects } from './test-database.ts';

/** `s3` redirects clients to the store, `s3-streamed` sends its bytes through Slipway. */
export type BlobsName = 'disk' | 'memory' | 's3' | 's3-streamed';

interface Stores {
  dialect: DialectName;
  blobs: BlobsName;
}

const onS3 = (blobs: BlobsName): Stores[] => (hasS3 ? [{ dialect: 'sqlite', blobs }] : []);

/** Each database and each store at least once. */
const crossed: readonly Stores[] = [
  { dialect: 'sqlite', blobs: 'disk' },
  { dialect: 'postgres', blobs: 'memory' },
];

export const crossedStores = [...crossed, ...onS3('s3')];

/** For tests that require Slipway to send the bytes itself. */
export const streamingStores = [...crossed, ...onS3('s3-streamed')];

/** For what reaches both: all pairs in `npm run test:all`, each database and each store otherwise. */
export const everyStore: readonly Stores[] = runsEveryPair
  ? [
      ...dialects.flatMap((dialect) => (['disk', 'memory'] as const).map((blobs) => ({ dialect, blobs }))),
      ...onS3('s3'),
    ]
  : crossedStores;

/** For tests of layers above both, which cannot distinguish stores: one pair, and the others in `npm run test:all`. */
export const mainStores: readonly Stores[] = runsEveryPair ? crossedStores : crossed.slice(0, 1);
