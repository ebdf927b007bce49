/** Real packages next to the project, if present. Tests that need them are skipped otherwise. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../shared/fixtures/', import.meta.url));

export interface SharedFixture {
  path: string;
  verdict: string;
  size: number;
  md5: string;
  sha256: string;
  // biome-ignore lint/suspicious/noExplicitAny: the oracles' output is free-form JSON
  truth: any;
}

export const sharedFixturesPresent = existsSync(`${folder}manifest.json`);

export function sharedFixtures(): SharedFixture[] {
  if (!sharedFixturesPresent) return [];
  return JSON.parse(readFileSync(`${folder}manifest.json`, 'utf8')).files;
}

export function sharedFixturePath(path: string): string {
  return folder + path;
}
