/** The processes that read packages for all services of a test process: starting three of them takes longer than most tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPackageReader, type PackageReader } from '../../src/packages/package-reader.ts';

let shared: PackageReader | null = null;

/** Services that close leave its processes to the next one. They end when they are idle, and with the test process. */
export function sharedPackageReader(): PackageReader {
  shared ??= { ...open(), close: async () => {} };
  return shared;
}

function open(): PackageReader {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-packages-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return createPackageReader({ folder });
}
