// npm test: installs and builds when that is due, brings the oracles that Debian has, runs every suite.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { ensureBuilt, ensureInstalled, findNode, run, tool } from './workshop.mjs';

/** Programs that suites compare with or drive, and Debian's packages that bring them. */
const oracles = [
  { program: '/usr/bin/aapt', packageName: 'aapt', suite: 'Android facts against aapt' },
  { program: '/usr/bin/apksigner', packageName: 'apksigner', suite: 'signatures against apksigner' },
  { program: '/usr/bin/chromium', packageName: 'chromium', suite: 'pages in a real browser' },
];

ensureInstalled();
ensureBuilt();
bringOracles();
run(findNode(), [tool('vitest'), 'run', ...process.argv.slice(2)], { stdio: 'inherit' });

function bringOracles() {
  const missing = oracles.filter(({ program }) => !existsSync(program));
  if (missing.length === 0) return;
  const names = missing.map(({ packageName }) => packageName);
  if (isDebian() && process.getuid?.() === 0) {
    console.error(`slipway: installing ${names.join(', ')} for the tests …`);
    const quiet = {
      stdio: ['ignore', 'ignore', 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    spawnSync('apt-get', ['update', '-q'], quiet);
    spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...names], quiet);
  }
  for (const { program, packageName, suite } of missing) {
    if (existsSync(program)) continue;
    console.error(`slipway: skipped: ${suite}; apt-get install ${packageName} brings what it needs`);
  }
}

function isDebian() {
  return (
    existsSync('/etc/os-release') && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
  );
}
