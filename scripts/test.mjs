// npm test: installs and builds when that is due, brings the oracles that Debian has, runs every suite.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { ensureBuilt, ensureInstalled, findNode, run, tool } from './workshop.mjs';

/** Programs that suites compare with or drive, by path or by name, and Debian's packages that bring them. */
const oracles = [
  { program: 'aapt2', packageName: 'aapt', suite: 'Android facts against aapt2 and aapt' },
  { program: 'apksigner', packageName: 'apksigner', suite: 'signatures of APKs against apksigner' },
  { program: 'openssl', packageName: 'openssl', suite: 'signatures of profiles and IPAs against openssl' },
  { program: 'python3', packageName: 'python3', suite: 'property lists against plistlib' },
  { program: '/usr/bin/chromium', packageName: 'chromium', suite: 'pages in a real browser' },
  {
    program: '/usr/bin/radosgw',
    packageName: 'radosgw ceph-mon ceph-osd',
    suite: 'blobs on a real S3 service',
  },
  { program: '/usr/sbin/nginx', packageName: 'nginx-light', suite: 'the nginx example and the doctor' },
  {
    program: 'fail2ban-regex',
    packageName: 'fail2ban',
    suite: 'the fail2ban filter against fail2ban itself',
  },
  { program: '/usr/bin/zsh', packageName: 'zsh', suite: 'completion in zsh' },
  { program: '/usr/bin/fish', packageName: 'fish', suite: 'completion in fish' },
  { program: '/usr/bin/caddy', packageName: 'caddy', suite: 'the Caddy example and the doctor' },
];

ensureInstalled();
ensureBuilt();
bringOracles();
run(findNode(), [tool('vitest'), 'run', ...process.argv.slice(2)], { stdio: 'inherit' });

function bringOracles() {
  const missing = oracles.filter(({ program }) => !isPresent(program));
  if (missing.length === 0) return;
  const names = missing.flatMap(({ packageName }) => packageName.split(' '));
  if (isDebian() && process.getuid?.() === 0) {
    console.error(`slipway: installing ${names.join(', ')} for the tests …`);
    const quiet = {
      stdio: ['ignore', 'ignore', 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    spawnSync('apt-get', ['update', '-q'], quiet);
    withoutServices(() => {
      spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...names], quiet);
    });
  }
  for (const { program, packageName, suite } of missing) {
    if (isPresent(program)) continue;
    console.error(`slipway: skipped: ${suite}; apt-get install ${packageName} brings what it needs`);
  }
}

/** Debian starts what it installs, such as nginx on port 80, unless this file says no (its policy manual, section 9.3.3.1). */
function withoutServices(install) {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return install();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    install();
  } finally {
    rmSync(policy);
  }
}

function isPresent(program) {
  if (isAbsolute(program)) return existsSync(program);
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function isDebian() {
  return (
    existsSync('/etc/os-release') && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
  );
}
