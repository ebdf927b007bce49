// Shared by the npm scripts: installing and building a clone, and finding the Node for Slipway. Runs on Node 20 and
// newer.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const neededNodeMajor = 24;

const at = (...parts) => join(root, ...parts);
/** npm's own record of what it has installed. */
const installedLock = at('node_modules', '.package-lock.json');
const buildStamp = at('dist', '.built');

/** Installs exactly what the lock file specifies, unless npm has installed it already. */
export function ensureInstalled() {
  if (isInstalled()) return;
  say('Installing dependencies (npm ci) …');
  runNpm(['ci', '--no-audit', '--no-fund']);
}

/** Packages for other platforms are optional. */
function isInstalled() {
  const installed = JSON.parse(readOrNull(installedLock) ?? '{}').packages ?? {};
  const { packages } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'));
  return Object.entries(packages).every(([path, { version, integrity, optional }]) => {
    const found = installed[path];
    return path === '' || (found ? found.version === version && found.integrity === integrity : optional);
  });
}

/** Compiles and bundles, unless nothing has changed. */
export function ensureBuilt() {
  if (readOrNull(buildStamp) === sourceState()) return;
  say('Building …');
  run(findNode(), [at('scripts', 'build.mjs')]);
}

export function markBuilt() {
  writeFileSync(buildStamp, sourceState());
}

/** Path of a suitable Node: the one among the dependencies, or this one if it is new enough. */
export function findNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const bundled = at(
    'node_modules',
    `node-${{ win32: 'win' }[process.platform] ?? process.platform}-${process.arch}`,
    'bin',
    name,
  );
  if (existsSync(bundled)) return bundled;
  if (Number(process.versions.node.split('.')[0]) >= neededNodeMajor) return process.execPath;
  console.error(
    `Slipway needs Node ${neededNodeMajor} or newer; this is ${process.version}, and no newer one is packaged for this system.`,
  );
  process.exit(1);
}

/**
 * Limits the memory that V8 and glibc keep after load; both read these only when the process starts
 * (docs/performance.md).
 */
export const serverNodeFlags = ['--max-semi-space-size=2'];
export const serverEnvironment = { MALLOC_ARENA_MAX: '2', ...process.env };

/** Runs a program to its end; exits with its code unless that is 0. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['inherit', 2, 2], ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
  return result;
}

/** The npm that started this script, if any. */
export function runNpm(args, options = {}) {
  const npm = process.env.npm_execpath;
  const quiet = [...args, '--loglevel=error'];
  return npm
    ? run(process.execPath, [npm, ...quiet], options)
    : run('npm', quiet, { shell: process.platform === 'win32', ...options });
}

const parent = process.ppid;

export function parentEnded() {
  return process.ppid !== parent;
}

/**
 * Calls `then` when this script’s parent has ended: npm forwards signals only to its shell, which ends without a
 * message.
 */
export function whenParentEnds(then) {
  const watch = setInterval(() => {
    if (!parentEnded()) return;
    clearInterval(watch);
    then();
  }, 500);
  watch.unref();
}

/** Path of a tool’s entry file among the dependencies. */
export function tool(name) {
  const folder = at('node_modules', ...name.split('/'));
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : (bin[name.split('/').at(-1)] ?? Object.values(bin)[0]);
  return join(folder, file);
}

function say(text) {
  console.error(`slipway: ${text}`);
}

function sourceState() {
  const files = [
    at('package-lock.json'),
    at('package.json'),
    ...filesBelow(at('src')),
    ...filesBelow(at('scripts')),
  ];
  return hashOf(files, (path) => {
    const { mtimeMs, size } = statSync(path);
    return `${mtimeMs} ${size}`;
  });
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function hashOf(paths, content) {
  const hash = createHash('sha256');
  for (const path of paths)
    hash.update(path.slice(root.length)).update('\0').update(content(path)).update('\0');
  return hash.digest('hex');
}

function readOrNull(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
