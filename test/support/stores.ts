/**
 * Databases and blob stores together: all pairs for what matters most, each of both at least once for the rest. S3 comes
 * with one database, where there is one to test with.
 */
import { hasS3 } from './s3-service.ts';
import { type DialectName, dialects } from './test-database.ts';

/** `s3` sends clients to the store, `s3-streamed` sends its bytes through Slipway. */
export type BlobsName = 'disk' | 'memory' | 's3' | 's3-streamed';

interface Stores {
  dialect: DialectName;
  blobs: BlobsName;
}

const onS3 = (blobs: BlobsName): Stores[] => (hasS3 ? [{ dialect: 'sqlite', blobs }] : []);

export const everyStore: readonly Stores[] = [
  ...dialects.flatMap((dialect) => (['disk', 'memory'] as const).map((blobs) => ({ dialect, blobs }))),
  ...onS3('s3'),
];

const crossed: readonly Stores[] = [
  { dialect: 'sqlite', blobs: 'disk' },
  { dialect: 'postgres', blobs: 'memory' },
];

export const crossedStores = [...crossed, ...onS3('s3')];

/** For what holds only where the bytes come from Slipway itself. */
export const streamingStores = [...crossed, ...onS3('s3-streamed')];
