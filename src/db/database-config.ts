import { join, resolve } from 'node:path';
import type { DatabaseConfig } from './database.ts';

/** Parses `SLIPWAY_DATABASE_URL`. */
export function readDatabaseConfig(
  text: string | null,
  dataFolder: string,
  addError: (text: string) => void,
): DatabaseConfig {
  if (text === null) return { kind: 'sqlite', path: join(dataFolder, 'slipway.sqlite') };
  if (/^postgres(ql)?:\/\//.test(text)) {
    if (!URL.canParse(text)) addError('SLIPWAY_DATABASE_URL is not a valid postgres:// address');
    return { kind: 'postgres', url: text, maxConnections: 10 };
  }
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (path) return { kind: 'sqlite', path: resolve(dataFolder, path) };
  }
  addError('SLIPWAY_DATABASE_URL must be sqlite: followed by a file, or start with postgres://');
  return { kind: 'sqlite', path: '' };
}
