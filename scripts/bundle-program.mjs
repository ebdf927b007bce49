/**
 * Bundles the program into `dist/`: `main.js`, the chunks of the commands that it loads, the process that reads packages, and the
 * thread that hashes uploads. A start loads a few files instead of over a thousand. Packages with native code stay where npm
 * installed them.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const native = ['better-sqlite3', 'sharp', '@node-rs/argon2'];

/**
 * The process that reads packages may read nothing outside its folder. `main.js` loads `program.cjs` with `compiled-code.ts`,
 * which takes CommonJS.
 */
const bundles = [
  { folder: '.', chunks: 'chunks/', entry: 'src/main.ts' },
  { folder: 'chunks', chunks: '', entry: 'src/program.ts', format: 'cjs' },
  { folder: 'packages', chunks: '', entry: 'src/packages/package-child-main.ts' },
  { folder: 'spool', chunks: '', entry: 'src/blobs/spool/hash-worker.ts' },
];

export async function bundleProgram() {
  await Promise.all(bundles.map(bundle));
}

async function bundle({ folder, chunks, entry, format = 'es' }) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [lazyBuiltins],
    ssr: { noExternal: true, external: native },
    build: {
      ssr: entry,
      outDir: join(root, 'dist', folder),
      emptyOutDir: false,
      target: 'es2024',
      sourcemap: true,
      rolldownOptions: {
        output: {
          format,
          entryFileNames: `[name].${extension}`,
          chunkFileNames: `${chunks}[name].${extension}`,
          sourcemapExcludeSources: true,
          // Names stay for stack traces; V8 reads and hashes half as much text at each start.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
          // Otherwise a chunk may run a module before what it imports for its effects.
          strictExecutionOrder: true,
        },
        experimental: { onDemandWrapping: true },
      },
    },
  });
}

/**
 * Importing one of these modules reads all of its properties, including getters that load more code: the fetch client and the
 * standard streams, a tenth of a start.
 */
const withGetters = ['process', 'http'];
/** Fastify imports it for an option that Slipway does not use. */
const unused = { http2: ['createServer', 'createSecureServer'] };
const prefix = '\0builtin:';

const lazyBuiltins = {
  name: 'lazy-builtins',
  enforce: 'pre',
  resolveId(id, importer = '') {
    const name = id.replace(/^node:/, '');
    const isUnused = name in unused && importer.includes('/node_modules/fastify/');
    return isUnused || withGetters.includes(name) ? prefix + name : null;
  },
  load(id) {
    if (!id.startsWith(prefix)) return null;
    const name = id.slice(prefix.length);
    if (name in unused)
      return unused[name]
        .map(
          (key) =>
            `export const ${key} = (...given) => process.getBuiltinModule('${name}').${key}(...given);`,
        )
        .join('\n');
    const properties = Object.getOwnPropertyDescriptors(process.getBuiltinModule(name));
    const values = Object.keys(properties).filter(
      (key) => 'value' in properties[key] && /^[a-z]\w*$/i.test(key),
    );
    // An older Node without this function must still be able to print that it is too old.
    const found = name === 'process' ? 'globalThis.process' : `process.getBuiltinModule('${name}')`;
    return `const builtin = ${found};\nexport default builtin;\nexport const { ${values.join(', ')} } = builtin;`;
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleProgram();
