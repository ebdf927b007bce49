/** The version in package.json, one folder above both `src` and `dist`. */
import { readFileSync } from 'node:fs';

export function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
