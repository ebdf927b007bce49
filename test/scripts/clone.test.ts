/** The output of a clone on a machine with an older Node than Slipway's. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runsEverything } from '../support/runs-everything.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const oldNode = '/usr/bin/node';
const npm = ['/usr/bin/npm', '/usr/local/bin/npm'].find((path) => existsSync(path));
const isOld =
  runsEverything &&
  existsSync(oldNode) &&
  /^v2[0-3]\./.test(spawnSync(oldNode, ['--version'], { encoding: 'utf8' }).stdout);

describe('a fresh clone', () => {
  it.runIf(isOld && npm)('installs on Node 20 without a warning about engines', () => {
    const installed = spawnSync(npm ?? '', ['ci', '--dry-run', '--offline'], {
      cwd: root,
      encoding: 'utf8',
      env: { HOME: process.env.HOME, PATH: `${dirname(oldNode)}:/bin` },
    });
    expect(installed.status).toBe(0);
    expect(installed.stdout + installed.stderr).not.toContain('EBADENGINE');
  });

  it('has a scoped name and cannot be published by mistake', () => {
    const {
      name,
      private: isPrivate,
      engines,
    } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(name).toMatch(/^@[a-z-]+\/slipway$/);
    expect(isPrivate).toBe(true);
    // The dependencies include Node 24.
    expect(engines).toEqual({ node: '>=20' });
    expect(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).name).toBe(name);
  });
});
