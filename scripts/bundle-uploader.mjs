/**
 * Creates `slipway.mjs`, the uploader as a single file without dependencies, for Node 20 or newer. `node
 * scripts/bundle-uploader.mjs [FOLDER]` writes it to `dist/uploader` or to FOLDER, and prints its path.
 */
import { chmod, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the path of the file. */
export async function bundleUploader(folder = join(root, 'dist/uploader')) {
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
      ssr: 'src/commands/uploader/uploader-main.ts',
      outDir: folder,
      emptyOutDir: false,
      // Targets an older version than the required Node 20, so that an older Node can parse the file and print an
      // error.
      target: 'es2022',
      minify: false,
      rolldownOptions: {
        output: {
          entryFileNames: 'slipway.mjs',
          codeSplitting: false,
          banner: `#!/usr/bin/env node\n/* Slipway's uploader ${version}. MIT license. */`,
          footer: `/*\nContains uqr (https://github.com/unjs/uqr):\n\n${license.replaceAll('*/', '* /').trim()}\n*/`,
        },
      },
    },
  });
  const file = join(folder, 'slipway.mjs');
  await chmod(file, 0o755);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  const file = await bundleUploader(folder && resolve(folder));
  if (folder) process.stdout.write(`${file}\n`);
}
