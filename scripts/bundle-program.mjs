/**
 * Bundles the program into `dist/`: `main.js` with the chunks that its commands load, the process that reads packages, and the
 * thread that hashes uploads. Loading a few files instead of over a thousand halves the time of a start. Packages with native
 * code stay where npm installed them.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const native = ['better-sqlite3', 'sharp', '@node-rs/argon2'];

/** Each bundle has a folder of its own: the process that reads packages may read nothing but its folder. */
const bundles = [
  { folder: '.', entry: 'src/main.ts' },
  { folder: 'packages', entry: 'src/packages/package-child-main.ts' },
  { folder: 'spool', entry: 'src/blobs/spool/hash-worker.ts' },
];

export async function bundleProgram() {
  await Promise.all(bundles.map(bundle));
}

async function bundle({ folder, entry }) {
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: native },
    build: {
      ssr: entry,
      outDir: join(root, 'dist', folder),
      emptyOutDir: false,
      target: 'es2024',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: folder === '.' ? 'chunks/[name].js' : '[name].js',
        },
      },
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleProgram();
