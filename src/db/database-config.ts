import { join, resolve } from 'node:path';
import type { Settings } from '../core/settings.ts';
import type { DatabaseConfig } from './database.ts';

/** Some stay free while others wait for locks (`maxWaitingTransactions`). */
const connections = { min: 6, max: 100, otherwise: 10 };

/** Parses `SLIPWAY_DATABASE_URL` and, for PostgreSQL, how many connections a node opens. */
export function readDatabaseConfig(settings: Settings, dataFolder: string): DatabaseConfig {
  const text = settings.text('SLIPWAY_DATABASE_URL');
  const maxConnections = settings.number('SLIPWAY_DATABASE_CONNECTIONS', connections);
  if (text === null) return { kind: 'sqlite', path: join(dataFolder, 'slipway.sqlite') };
  if (/^postgres(ql)?:\/\//.test(text)) {
    if (!URL.canParse(text)) settings.addError('SLIPWAY_DATABASE_URL is not a valid postgres:// address');
    return { kind: 'postgres', url: text, maxConnections };
  }
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (path) return { kind: 'sqlite', path: resolve(dataFolder, path) };
  }
  settings.addError('SLIPWAY_DATABASE_URL must be sqlite: followed by a file, or start with postgres://');
  return { kind: 'sqlite', path: '' };
}
