/**
 * Bundles the scripts that pages load: each entry in `src/web/browser` becomes one file in `src/web/static`. Git ignores
 * these files. The build runs this; it writes only what has changed.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = ['slipway', 'console', 'upload', 'passkeys'];

export async function bundleBrowserScripts() {
  await Promise.all(entries.map(bundle));
}

async function bundle(name) {
  const { output } = await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      write: false,
      // Old phones test apps, too.
      target: 'es2020',
      modulePreload: false,
      rolldownOptions: {
        input: `src/web/browser/${name}.ts`,
        output: { format: 'es', codeSplitting: false },
      },
    },
  });
  await replaceFile(join(root, 'src/web/static', `${name}.js`), output[0].code);
}

/** Does not write a file that has this text already. Replaces it atomically, so that no reader sees a part. */
async function replaceFile(path, text) {
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return;
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleBrowserScripts();
