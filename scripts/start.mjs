// npm start: installs and builds if necessary, then becomes the server.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import {
  ensureBuilt,
  ensureInstalled,
  findNode,
  parentEnded,
  root,
  serverEnvironment,
  serverNodeFlags,
  whenParentEnds,
} from './workshop.mjs';

ensureInstalled();
ensureBuilt();
// Installing and building ignore signals.
if (parentEnded()) process.exit(1);
const node = findNode();
const args = [...serverNodeFlags, join(root, 'dist', 'main.js'), 'serve', ...process.argv.slice(2)];
// A single process instead of two, where Node can replace itself.
if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...args], serverEnvironment);
const child = spawn(node, args, { stdio: 'inherit', env: serverEnvironment });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
whenParentEnds(() => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
