// npm run setup:test-tools: installs the programs that suites use, on Debian as root. Exits with 1 if a tool is missing;
// `-- --check` installs nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { missingTestTools } from './test-tools.mjs';

const names = [...new Set(missingTestTools().flatMap(({ packages }) => packages))];
if (names.length > 0 && !process.argv.includes('--check')) {
  if (isDebian() && process.getuid?.() === 0) install(names);
  else console.error('slipway: test tools are installed on Debian, by root; elsewhere install them by hand');
}
const missing = missingTestTools();
for (const { program, packages } of missing)
  console.error(`slipway: missing: ${program} (Debian: apt-get install ${packages.join(' ')})`);
if (missing.length === 0) console.error('slipway: all test tools are installed');
process.exitCode = missing.length === 0 ? 0 : 1;

function install(packages) {
  console.error(`slipway: installing ${packages.join(', ')} …`);
  const quiet = {
    stdio: ['ignore', 'ignore', 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-q'], quiet);
  withoutServices(() => {
    spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], quiet);
  });
}

/** Debian starts services that it installs, such as nginx, unless this file prevents it (its policy manual, section 9.3.3.1). */
function withoutServices(work) {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return work();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    work();
  } finally {
    rmSync(policy);
  }
}

function isDebian() {
  return (
    existsSync('/etc/os-release') && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
  );
}
