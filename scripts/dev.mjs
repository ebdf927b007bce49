// npm run dev: the server, started anew whenever a source file changes.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, findNode, root, tool, whenParentEnds } from './workshop.mjs';

ensureInstalled();
ensureBuilt();
const node = findNode();
const start = (args) => spawn(node, args, { cwd: root, stdio: 'inherit' });
const children = [
  start([tool('typescript'), '-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput']),
  start([
    '--watch',
    '--watch-preserve-output',
    join(root, 'dist', 'main.js'),
    'serve',
    ...process.argv.slice(2),
  ]),
];
const stop = (signal) => {
  for (const child of children) child.kill(signal);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
whenParentEnds(() => stop('SIGTERM'));
