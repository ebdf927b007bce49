/** Real packages next to the project, if present. Tests that need them are skipped otherwise. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runsEverything } from './runs-everything.ts';

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

/** Above this size a package is only in the full run: small ones show as much. */
const maxQuickBytes = 45_000;

/** The shared fixtures that this run reads. */
export function fixturesOfRun(): SharedFixture[] {
  return sharedFixtures().filter(({ size }) => runsEverything || size <= maxQuickBytes);
}

export function sharedFixturePath(path: string): string {
  return folder + path;
}
