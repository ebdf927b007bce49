/** Checks every import in `src` against the layout of ARCHITECTURE.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src/', import.meta.url));

/** Features may only use those before them. */
const features = [
  'packages',
  'blobs',
  'events',
  'jobs',
  'limits',
  'owners',
  'branding',
  'accounts',
  'projects',
  'provisioning',
  'apps',
  'devices',
  'distributions',
  'insight',
  'search',
  'uploads',
  'deploygate',
  'mail',
  'feedback',
  'webhooks',
  'audit',
  'privacy',
  'operations',
  'access-review',
  'administration',
];
const machinery = ['claims', 'http', 'db', 'web'];
const top = ['main.ts', 'program.ts', 'compiled-code.ts', 'service.ts', 'config.ts'];
/** Entry points, and files that start child processes of Node. */
const readsProcess = [
  'main.ts',
  'commands/uploader/uploader-main.ts',
  'packages/package-child-main.ts',
  'packages/package-child.ts',
];

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .sort();
const text = (file: string) => readFileSync(join(root, file), 'utf8');

const importPattern =
  /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)';|\bimport\('([^']+)'\)|new URL\('(\.[^']+\.ts)'/gm;

const imports: Import[] = files.flatMap((file) =>
  [...text(file).matchAll(importPattern)].map(([, typeOnly, first, second, third]) => {
    const specifier = first ?? second ?? third ?? '';
    const to = specifier.startsWith('.') ? join(dirname(file), specifier) : specifier;
    return { from: file, to, typeOnly: typeOnly !== undefined };
  }),
);
const ours = imports.filter(({ to }) => files.includes(to));

const folderOf = (file: string) => (file.includes('/') ? (file.split('/', 1)[0] ?? '') : '');
type Layer = 'queries' | 'json' | 'page' | 'routes' | 'http' | 'adapter' | 'core';

function layerOf(file: string): Layer {
  const name = basename(file);
  if (name.endsWith('-queries.ts')) return 'queries';
  if (name.endsWith('-json.ts')) return 'json';
  if (name.endsWith('-routes.ts') || name === 'area.ts') return 'routes';
  if (name.endsWith('-http.ts')) return 'http';
  if (name.endsWith('.tsx')) return 'page';
  return /^(disk|memory|s3|smtp)-/.test(name) ? 'adapter' : 'core';
}

const offences = (rule: (item: Import) => boolean, among = imports) =>
  among.filter((item) => !rule(item)).map(({ from, to }) => `${from} → ${to}`);

describe('layout', () => {
  it('finds source files and their imports', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(ours.length).toBeGreaterThan(200);
  });

  it('contains only known folders and top-level files', () => {
    const strays = files.filter((file) => {
      const folder = folderOf(file);
      if (folder === '') return !top.includes(file);
      return ![...features, ...machinery, 'core', 'commands'].includes(folder);
    });
    expect(strays).toEqual([]);
  });

  it('lets a feature use only earlier features', () => {
    const rule = ({ from, to }: Import) => {
      const [one, other] = [features.indexOf(folderOf(from)), features.indexOf(folderOf(to))];
      return one === -1 || other === -1 || other <= one;
    };
    expect(offences(rule, ours)).toEqual([]);
  });

  it('keeps infrastructure free of features', () => {
    const rule = ({ from, to }: Import) =>
      !machinery.includes(folderOf(from)) || !features.includes(folderOf(to));
    expect(offences(rule, ours)).toEqual([]);
  });

  it('keeps the core free of everything else', () => {
    const rule = ({ from, to }: Import) => folderOf(from) !== 'core' || folderOf(to) === 'core';
    expect(offences(rule, ours)).toEqual([]);
  });

  it('keeps package readers free of the rest of Slipway', () => {
    const rule = ({ from, to }: Import) => folderOf(from) !== 'packages' || folderOf(to) === 'packages';
    expect(offences(rule, ours)).toEqual([]);
  });

  it('lets only entry points import the composition root, and nothing import commands', () => {
    const rule = ({ from, to }: Import) => {
      if (to === 'main.ts') return false;
      if (to === 'service.ts') return folderOf(from) === 'commands';
      return folderOf(to) !== 'commands' || folderOf(from) === 'commands' || from === 'program.ts';
    };
    expect(offences(rule, ours)).toEqual([]);
  });

  it('keeps the scripts of pages apart from the server', () => {
    const isBrowser = (file: string) => file.startsWith('web/browser/');
    // Pure, without dependencies on the server.
    const shared = ['core/byte-size.ts'];
    const rule = ({ from, to }: Import) =>
      isBrowser(from) ? isBrowser(to) || shared.includes(to) : !isBrowser(to);
    expect(imports.filter(({ from }) => isBrowser(from)).length).toBeGreaterThan(20);
    expect(offences(rule)).toEqual([]);
    expect(imports.filter(({ from }) => shared.includes(from))).toEqual([]);
  });

  it('keeps HTTP out of the core, of queries and of presentation', () => {
    const isHttp = (to: string) =>
      /^(fastify$|@fastify\/|node:https?$)/.test(to) ||
      folderOf(to) === 'http' ||
      (files.includes(to) && ['routes', 'http'].includes(layerOf(to)));
    const mayKnow = (from: string) =>
      ['routes', 'http'].includes(layerOf(from)) || ['http', 'commands', ''].includes(folderOf(from));
    // Response schemas use the library that validates and documents them; it has no access to requests.
    expect(offences(({ from, to }) => mayKnow(from) || !isHttp(to))).toEqual([]);
  });

  it('keeps SQL in queries', () => {
    const isSql = (to: string) =>
      /^(kysely|pg|better-sqlite3)/.test(to) || (folderOf(to) === 'db' && to !== 'db/data.ts');
    const mayKnow = (from: string) =>
      layerOf(from) === 'queries' ||
      folderOf(from) === 'db' ||
      ['service.ts', 'operations/open-installation.ts', 'config.ts'].includes(from);
    const rule = ({ from, to }: Import) => mayKnow(from) || from === 'commands/with-data.ts' || !isSql(to);
    expect(offences(rule)).toEqual([]);
  });

  it('lets only the HTTP layer and access rules access requests', () => {
    const mayTouch = (file: string) => folderOf(file) === 'http' || layerOf(file) === 'http';
    const touches = /\bFastify(Request|Reply)\b|\brequest\.(query|params|body|headers|cookies)\b/;
    // The outgoing request of the S3 client.
    const users = files.filter((file) => touches.test(code(file)) && file !== 'blobs/s3/s3-connection.ts');
    expect(users.length).toBeGreaterThan(10);
    expect(users.filter((file) => !mayTouch(file))).toEqual([]);
    const readers = files.filter(
      (file) => layerOf(file) === 'routes' && /\brequest\.(?!ts\b)\w/.test(code(file)),
    );
    expect(readers.filter((file) => !mayTouch(file))).toEqual([]);
  });

  it('defines routes only in route files, and registers them in one place', () => {
    const callersOf = (call: RegExp) => files.filter((file) => call.test(code(file)));
    const defining = callersOf(/(?<!function )\bdefineRoute\(/);
    expect(defining.length).toBeGreaterThan(30);
    expect(defining.filter((file) => layerOf(file) !== 'routes')).toEqual([]);
    const registering =
      /\b(server|fastify|app|instance|http)\.(route|all|get|head|post|put|patch|delete|options)\(/;
    expect(callersOf(registering)).toEqual(['http/routes/register-routes.ts']);
  });

  it('keeps request state on the request, and form actions in the path', () => {
    const isOld = (file: string) => /WeakMap<Fastify(Request|Reply)\b|name="act"|\bact=["{]/.test(code(file));
    expect(files.filter(isOld)).toEqual([]);
  });

  it('limits pages and JSON to core types and web components', () => {
    const rule = ({ from, to }: Import) =>
      !['page', 'json'].includes(layerOf(from)) ||
      ['page', 'json', 'core'].includes(layerOf(to)) ||
      folderOf(to) === 'web';
    expect(offences(rule, ours)).toEqual([]);
  });

  it('has no import cycles', () => {
    const graph = new Map<string, string[]>();
    for (const { from, to } of ours) graph.set(from, [...(graph.get(from) ?? []), to]);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });
});

describe('code conventions', () => {
  it('limit folders to one noun and about 25 files', () => {
    const counts = Map.groupBy(files, (file) => dirname(file));
    const crowded = [...counts].filter(([, within]) => within.length > 25).map(([folder]) => folder);
    expect(crowded).toEqual([]);
  });

  it('write to the terminal in one place, which no command can forget to escape for', () => {
    const commands = files.filter((file) => file.startsWith('commands/'));
    const writers = commands.filter((file) => /\b(?:stdout|stderr)\.write\(/.test(code(file)));
    // Says which Node it needs, before it imports anything.
    expect(writers).toEqual(['commands/uploader/uploader-main.ts']);
    const drawing = commands.filter((file) => /(?<!function )\bdraw\(/.test(code(file)));
    expect(drawing).toEqual([
      'commands/bundle-command.ts',
      'commands/command-line.ts',
      'commands/demo/demo-command.ts',
      'commands/doctor-command.ts',
      'commands/inspect/inspect-command.ts',
      'commands/pull-request/pull-request-command.ts',
      'commands/serve-command.ts',
      'commands/simulate/simulate-command.ts',
      'commands/uploader/upload-command.ts',
      'commands/uploader/upload-display.ts',
    ]);
  });

  it('limit access to `process` to entry points', () => {
    const readers = files.filter(
      (file) => !readsProcess.includes(file) && /\bprocess\.[a-z]|node:process/.test(code(file)),
    );
    expect(readers).toEqual([]);
  });

  it('limit terms of the public interface to requests and responses', () => {
    const wireWords = /['"`](Organization|Enterprise)['"`]|\bbecause\b\s*[:,]/;
    const rightful = (file: string) => layerOf(file) === 'json' || file.startsWith('http/error-');
    // The uploader prints its own errors in the shape of the server's.
    const users = files.filter(
      (file) => wireWords.test(code(file)) && file !== 'commands/uploader/upload-command.ts',
    );
    expect(users.length).toBeGreaterThan(2);
    expect(users.filter((file) => !rightful(file))).toEqual([]);
  });

  it('creates Intl formatters once, not for each value, and not at a start', () => {
    // A page creates its formatters when it loads, in the language that it has.
    const ofServer = files.filter((file) => !file.startsWith('web/browser/'));
    const pattern = /^(?:[ \t].*|(?:export )?const \w+ = )\bnew Intl\./m;
    expect(ofServer.filter((file) => pattern.test(code(file)))).toEqual([]);
  });

  it('forbid meaningless file names', () => {
    const nameless = /^(index|utils?|helpers?|common|manager|base|services?|misc)\.tsx?$/;
    expect(files.filter((file) => nameless.test(basename(file)) && file !== 'service.ts')).toEqual([]);
  });

  it('has no file with more than one concept', () => {
    const long = files.filter((file) => withoutImports(text(file)).split('\n').length > 350);
    expect(long).toEqual([]);
  });

  it('declares each rate limit once, however many routes have it', () => {
    const names = files.flatMap((file) =>
      [...text(file).matchAll(/\bname: '([^']+)',\s*limit: /g)].map(([, name]) => name),
    );
    expect(names.length).toBeGreaterThan(12);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('never spreads an object literal into another', () => {
    expect(files.filter((file) => /\.\.\.\{/.test(code(file)))).toEqual([]);
  });

  it('compares addresses and names of people by their keys, because other letters than theirs have the same lower case', () => {
    const byHand = /\b(?:e?mail|address|login|invitee|user)\w*(?:\([^()]*\))?\??\.toLowerCase\(\)/i;
    const own = ['accounts', 'owners', 'projects', 'apps', 'deploygate', 'administration', 'operations'];
    expect(files.filter((file) => own.includes(folderOf(file)) && byHand.test(code(file)))).toEqual([]);
  });

  it('name only what exists in comments', () => {
    const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
    const isFile = (path: string) => existsSync(join(root, '..', path));
    const names = new Set(
      files.flatMap(
        (file) =>
          text(file)
            .replace(comment, '')
            .match(/[\w$]+/g) ?? [],
      ),
    );
    // Package readers name the classes of the systems whose rules they follow.
    const gone = files
      .filter((file) => !file.startsWith('packages/'))
      .flatMap((file) =>
        (text(file).match(comment) ?? []).flatMap((found) =>
          [...found.matchAll(/`([^`\n]+)`/g)].flatMap(([, name = '']) => {
            if (/^[\w/-]+\.tsx?$/.test(name))
              return isFile(name) || isFile(join('src', name)) || isFile(join('src', dirname(file), name))
                ? []
                : [[file, name]];
            const isCamel = /^(\w*[a-z][A-Z]\w*)(\(\))?$/.exec(name)?.[1];
            return isCamel === undefined || names.has(isCamel) ? [] : [[file, name]];
          }),
        ),
      );
    expect(gone).toEqual([]);
  });

  it('keeps service.ts a table of contents', () => {
    expect(text('service.ts').trimEnd().split('\n').length).toBeLessThan(180);
  });

  it('pin every dependency exactly', () => {
    const manifest = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8'));
    const ranges = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.entries<string>(manifest[kind] ?? {}).filter(
        ([, range]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range),
      ),
    );
    expect(ranges).toEqual([]);
  });
});

const withoutImports = (source: string) => source.replace(/^import [^;]*;\n/gm, '');

/** The text of a file without its comments. */
function code(file: string): string {
  return text(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');
}
