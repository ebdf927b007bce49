// npm run dev: the server, restarted whenever a source file changes.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, utimesSync, watch } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, findNode, root, tool, whenParentEnds } from './workshop.mjs';

const at = (...parts) => join(root, ...parts);

ensureInstalled();
ensureBuilt();
const node = findNode();
const start = (args) => spawn(node, args, { cwd: root, stdio: 'inherit' });
const children = [
  start([tool('typescript'), '-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput']),
  start(['--watch', '--watch-preserve-output', at('dist', 'main.js'), 'serve', ...process.argv.slice(2)]),
];
let timer;
for (const folder of ['browser', 'static']) {
  watch(at('src', 'web', folder), { recursive: true, persistent: false }, (_, name) => {
    // Not the bundles.
    if (!/\.(ts|css|svg)$/.test(name ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(updateStaticFiles, 200);
  });
}
const stop = (signal) => {
  for (const child of children) child.kill(signal);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
whenParentEnds(() => stop('SIGTERM'));

function updateStaticFiles() {
  const { status } = spawnSync(node, [at('scripts', 'bundle-browser.mjs')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) return;
  cpSync(at('src', 'web', 'static'), at('dist', 'web', 'static'), { recursive: true });
  // Node watches modules only, and this one reads those files.
  const now = new Date();
  utimesSync(at('dist', 'web', 'shell', 'static-files.js'), now, now);
}
