// npm run dev: the server, built and started again whenever a source file changes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, findNode, root, whenParentEnds } from './workshop.mjs';

const at = (...parts) => join(root, ...parts);
/** Editors write a file in several steps. */
const quietMs = 200;

ensureInstalled();
ensureBuilt();
const node = findNode();
const start = () =>
  spawn(node, [at('dist', 'main.js'), 'serve', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
let server = start();
let timer;
watch(at('src'), { recursive: true, persistent: true }, (_, name) => {
  // The build writes the scripts of pages to `static`.
  if (!/\.(tsx?|css|svg|txt)$/.test(name ?? '')) return;
  clearTimeout(timer);
  timer = setTimeout(restart, quietMs);
});
const stop = (signal) => {
  server.kill(signal);
  process.exit();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(signal));
whenParentEnds(() => stop('SIGTERM'));

/** Keeps the running server if the build fails. */
async function restart() {
  const { status } = spawnSync(node, [at('scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) return;
  if (server.exitCode === null && server.signalCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  server = start();
}
