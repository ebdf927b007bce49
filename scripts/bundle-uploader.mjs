/**
 * Creates `slipway.mjs`, the uploader as a single file without dependencies, for Node 20 or newer. `node
 * scripts/bundle-uploader.mjs [FOLDER]` writes it to `dist/uploader` or to FOLDER, and prints its path. With `--action`, creates
 * the GitHub Action of it, in the folder that the repository contains.
 */
import { chmod, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

const uploader = {
  entry: 'src/commands/uploader/uploader-main.ts',
  name: 'slipway.mjs',
  interpreter: '#!/usr/bin/env node\n',
};
const action = { entry: 'integrations/github-action/main.ts', name: 'index.js', interpreter: '' };

/** Returns the path of the file. */
export const bundleUploader = (folder = join(root, 'dist/uploader')) => bundle(uploader, folder);
export const bundleAction = (folder = join(root, 'integrations/github-action/dist')) =>
  bundle(action, folder);

async function bundle({ entry, name, interpreter }, folder) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const license = await readFile(join(root, 'node_modules/uqr/LICENSE'), 'utf8');
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    define: { slipwayVersion: JSON.stringify(version) },
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir: folder,
      emptyOutDir: false,
      // Targets an older version than the required Node 20, so that an older Node can parse the file and print an
      // error.
      target: 'es2022',
      minify: false,
      rolldownOptions: {
        // No module does anything but declare, so unused ones, such as the texts of errors, are left out.
        treeshake: { moduleSideEffects: false },
        output: {
          entryFileNames: name,
          codeSplitting: false,
          banner: `${interpreter}/* Slipway's uploader ${version}. MIT license. */`,
          footer: `/*\nContains uqr (https://github.com/unjs/uqr):\n\n${license.replaceAll('*/', '* /').trim()}\n*/`,
        },
      },
    },
  });
  const file = join(folder, name);
  await chmod(file, 0o755);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const [folder] = words.filter((word) => word !== '--action');
  const write = words.includes('--action') ? bundleAction : bundleUploader;
  const file = await write(folder && resolve(folder));
  if (folder) process.stdout.write(`${file}\n`);
}
