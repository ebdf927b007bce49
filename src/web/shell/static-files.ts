/**
 * Static files of pages, read once when the service starts: a dozen files, named by their hash. Each is compressed once, when a
 * browser first requests it. Not `@fastify/static`, which serves a folder and not declared routes.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

/** Sorted by size of the result. */
export const staticCodings = ['br', 'zstd', 'gzip'] as const;
type StaticCoding = (typeof staticCodings)[number];

export interface StaticFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** Returns the bytes with the highest level of compression, which takes up to 50 ms the first time; later without a promise. */
  compressed(coding: StaticCoding): Buffer | Promise<Buffer>;
  /** Value of `Content-Type`. */
  type: string;
  /** Value of `ETag`, with quotes. */
  etag: string;
}

/** By name, as in `/assets/<name>`. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/** The hashed addresses for the frame of a page. */
export interface StaticPaths {
  stylesheet: string;
  formStylesheet: string;
  /** Styles and script of pages for signed-in people. */
  consoleStylesheet: string;
  consoleScript: string;
  script: string;
  /** Scripts that only some pages load; see `Page.scripts`. */
  uploadScript: string;
  passkeyScript: string;
  favicon: string;
}

const types: Readonly<Record<string, string>> = {
  'slipway.js': 'text/javascript; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'upload.js': 'text/javascript; charset=utf-8',
  'passkeys.js': 'text/javascript; charset=utf-8',
  'favicon.svg': 'image/svg+xml',
};

/** The files in the folder `styles` that each stylesheet is joined from, in this order. */
const stylesheets: Readonly<Record<string, readonly string[]>> = {
  slipway: [
    ...['elements', 'shell', 'components', 'page-heads', 'lists', 'sign-in', 'tester-page', 'release-notes'],
    ...['build-history', 'page-gate', 'api-docs', 'languages'],
  ],
  forms: [
    ...['forms', 'devices', 'build-actions', 'mail', 'settings', 'second-factor', 'projects', 'audit-log'],
    ...['upload', 'administration', 'branding'],
  ],
  console: [
    ...[
      'console/base',
      'console/shell',
      'console/heads',
      'console/controls',
      'console/parts',
      'console/tables',
    ],
    ...[
      'console/bulk-actions',
      'console/dialogs',
      'console/boxes',
      'console/layouts',
      'console/feedback',
      'console/activity',
      'console/read-only',
      'console/phone',
      'console/search',
      'console/combobox',
      'console/installing',
      'console/size',
    ],
  ],
};

/** Reads the folder `static` next to this file, which the build copies next to the compiled file. Throws if a file is missing. */
export function readStaticFiles(): StaticFiles {
  const files = new Map<string, StaticFile>();
  for (const [name, parts] of Object.entries(stylesheets)) {
    const css = parts.map((part) => read(`styles/${part}.css`).toString()).join('\n');
    files.set(`${name}.css`, toFile(Buffer.from(withoutComments(css)), 'text/css; charset=utf-8'));
  }
  for (const [name, type] of Object.entries(types)) files.set(name, toFile(read(name), type));
  return files;
}

function read(name: string): Buffer {
  return readFileSync(new URL(`../static/${name}`, import.meta.url));
}

function toFile(source: Buffer, type: string): StaticFile {
  const bytes = new Uint8Array(source);
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
  const known = new Map<StaticCoding, Buffer | Promise<Buffer>>();
  return {
    bytes,
    type,
    etag,
    compressed: (coding) => {
      const found = known.get(coding);
      if (found) return found;
      const compressing = compressors[coding](bytes);
      known.set(coding, compressing);
      void compressing.then(
        (result) => known.set(coding, result),
        () => known.delete(coding),
      );
      return compressing;
    },
  };
}

const [gzipped, brotlied, zstandarded] = [
  promisify(gzip),
  promisify(brotliCompress),
  promisify(zstdCompress),
];
const compressors: Record<StaticCoding, (bytes: Uint8Array) => Promise<Buffer>> = {
  gzip: (bytes) => gzipped(bytes, { level: constants.Z_BEST_COMPRESSION }),
  // Quality 11 is the default.
  br: (bytes) => brotlied(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength } }),
  zstd: (bytes) =>
    zstandarded(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: 19 },
      pledgedSrcSize: bytes.byteLength,
    }),
};

/** Removes comments, indentation and empty lines, which saves a tenth. Strings in the CSS contain none of these. */
function withoutComments(css: string): string {
  const lines = css.replace(/\/\*.*?\*\//gs, '').split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/**
 * Returns `/assets/<name>?v=<hash>`, which changes with the content, so that the response can be cached permanently. Throws for
 * an unknown name.
 */
export function staticPath(files: StaticFiles, name: string): string {
  const file = files.get(name);
  if (!file) throw new Error(`there is no static file ${name}`);
  return `/assets/${name}?v=${file.etag.slice(1, -1)}`;
}

export function staticPaths(files: StaticFiles): StaticPaths {
  return {
    stylesheet: staticPath(files, 'slipway.css'),
    formStylesheet: staticPath(files, 'forms.css'),
    consoleStylesheet: staticPath(files, 'console.css'),
    consoleScript: staticPath(files, 'console.js'),
    script: staticPath(files, 'slipway.js'),
    uploadScript: staticPath(files, 'upload.js'),
    passkeyScript: staticPath(files, 'passkeys.js'),
    favicon: staticPath(files, 'favicon.svg'),
  };
}
