// npm run advisories: reports known vulnerabilities of installed packages. Requires a registry with an advisory API.
import { spawnSync } from 'node:child_process';
import { root } from './workshop.mjs';

const shell = process.platform === 'win32';
const audit = (...args) =>
  spawnSync('npm', ['audit', '--audit-level=moderate', ...args], { cwd: root, encoding: 'utf8', shell });

const asked = audit('--json');
const answer = JSON.parse(asked.stdout || '{}');
if (!answer.metadata) {
  console.error(`The registry does not tell advisories: ${answer.message ?? asked.stderr.trim()}`);
  process.exit(2);
}
console.log(audit().stdout.trim());
process.exit(asked.status ?? 1);
