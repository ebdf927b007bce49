/** Databases and blob stores together: all pairs for what matters most, each of both at least once for the rest. */
import { dialects } from './test-database.ts';

export const everyStore = dialects.flatMap((dialect) =>
  (['disk', 'memory'] as const).map((blobs) => ({ dialect, blobs })),
);

export const crossedStores = [
  { dialect: 'sqlite', blobs: 'disk' },
  { dialect: 'postgres', blobs: 'memory' },
] as const;
