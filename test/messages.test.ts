/** Checks every catalog of messages: translations, arguments, patterns, and that code reads each message. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Sources } from '../src/core/language/catalog.ts';
import { argumentsOf } from './support/message-arguments.ts';
import { type CatalogSource, readPaths, readsOf } from './support/message-reads.ts';
import { sentenceLiterals } from './support/sentence-literals.ts';

/** Catalogs that are only in English so far. Convert and translate them; the list must become empty. */
const untranslated: readonly string[] = [];

const root = fileURLToPath(new URL('../src/', import.meta.url));
/** They start something when they are loaded. */
const entries = [
  'main.ts',
  'commands/uploader/uploader-main.ts',
  'blobs/spool/hash-worker.ts',
  'packages/package-child-main.ts',
];
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => !file.startsWith(join(root, 'web/browser/')))
  .sort();

interface Loaded extends CatalogSource {
  /** `file#name`, for reports. */
  title: string;
  sources: Sources;
}

const catalogs: Loaded[] = [];
const readWhileLoading: string[] = [];

beforeAll(async () => {
  // Nothing may be left of other test files: a module is evaluated once.
  vi.resetModules();
  const { sourcesOf } = await import('../src/core/language/catalog.ts');
  const asked = vi.spyOn(AsyncLocalStorage.prototype, 'getStore').mockImplementation(() => {
    const reader = new Error().stack
      ?.split('\n')
      .find((line) => line.includes('/src/') && !line.includes('/src/core/language/'));
    if (new Error().stack?.includes('/src/core/language/')) readWhileLoading.push(String(reader).trim());
    return undefined;
  });
  for (const file of files) {
    if (entries.includes(relative(root, file))) continue;
    const exported: Record<string, unknown> = await import(file);
    if (!/\bcatalog\(/.test(readFileSync(file, 'utf8'))) continue;
    for (const [name, value] of Object.entries(exported)) {
      const sources = sourcesOf(value);
      if (sources) catalogs.push({ file, name, sources, title: `${relative(root, file)}#${name}` });
    }
  }
  // Routes are declared when a service is created, not when their modules load.
  const folder = await mkdtemp(join(tmpdir(), 'slipway-messages-'));
  const { createService } = await import('../src/service.ts');
  const { readConfig } = await import('../src/config.ts');
  const service = await createService(readConfig({ SLIPWAY_DATA_DIR: folder, SLIPWAY_LOG_LEVEL: 'error' }));
  asked.mockRestore();
  await service.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

type Entry = Sources['en'][string];

/** Every message of a language, by its path. */
function messagesOf(group: Entry | undefined, path: readonly string[] = []): [string, string][] {
  if (group === undefined) return [];
  if (typeof group === 'string') return [[path.join('.'), group]];
  return Object.entries(group).flatMap(([key, entry]) => messagesOf(entry, [...path, key]));
}

describe('messages', () => {
  it('finds catalogs', () => {
    expect(catalogs.length).toBeGreaterThan(0);
  });

  it('are translated, except for the listed catalogs', () => {
    const missing = catalogs.filter(({ sources }) => sources.ja === undefined).map(({ title }) => title);
    expect(missing).toEqual(untranslated);
  });

  it('have the same keys in every language', () => {
    // Lists may have another length.
    const keysOf = (entry: Entry | undefined): unknown =>
      typeof entry === 'object' && !Array.isArray(entry)
        ? Object.fromEntries(Object.entries(entry).map(([key, inner]) => [key, keysOf(inner)]))
        : Array.isArray(entry);
    for (const { title, sources } of catalogs) {
      if (sources.ja) expect(keysOf(sources.ja), title).toEqual(keysOf(sources.en));
    }
  });

  it('have valid patterns, with the same arguments and tags in every language', () => {
    const problems = catalogs.flatMap(({ title, sources }) => {
      const translated = new Map(messagesOf(sources.ja));
      return messagesOf(sources.en).flatMap(([path, english]) => {
        const japanese = translated.get(path);
        const [here, there] = [argumentsOf(english, 'en'), argumentsOf(japanese ?? english, 'ja')];
        const isValid = here === there && !here.startsWith('invalid');
        return isValid ? [] : [`${title} ${path}: ${here} ≠ ${there}`];
      });
    });
    expect(problems).toEqual([]);
  });

  it('are not empty', () => {
    const empty = catalogs.flatMap(({ title, sources }) =>
      [...messagesOf(sources.en), ...messagesOf(sources.ja)]
        .filter(([, text]) => text.trim() === '')
        .map(([path]) => `${title} ${path}`),
    );
    expect(empty).toEqual([]);
  });

  it('are all used', () => {
    const reads = readPaths(files, catalogs);
    const unused = catalogs.flatMap((source) => {
      const used = readsOf(reads, source).map((path) => path.join('.'));
      const isUsed = (message: string) =>
        used.some(
          (path) =>
            path === '' ||
            path === message ||
            message.startsWith(`${path}.`) ||
            path.startsWith(`${message}.`),
        );
      return (
        messagesOf(source.sources.en)
          // A list is read as a whole.
          .map(([path]) => path.replace(/\.\d+$/, ''))
          .filter((path) => !isUsed(path))
          .map((path) => `${source.title} ${path}`)
      );
    });
    expect(unused).toEqual([]);
  });

  it('are never read while a module loads or a service starts, because that would freeze the language', () => {
    expect(readWhileLoading).toEqual([]);
  });
});

/** Files whose sentences nobody reads on a page, or that are in English for everyone, by what they are. */
const notForPages: Readonly<Record<string, RegExp>> = {
  'the command line and its errors': /^(commands|operations\/(backup|observability))\/|^main\.ts$/,
  'settings that are wrong, at the start':
    /-config\.ts$|^config\.ts$|breached-passwords\.ts$|^core\/se(cret|ttings)\.ts$|^operations\/(open-installation|installation-secret)/,
  'answers of the API':
    /-api-(routes|changes)\.ts$|-json\.ts$|^deploygate\/|^http\/(api\/|loose-form)|list-projects-routes/,
  'answers to keys': /^http\/idempotency\/|^accounts\/(keys\/key-powers|authorization\/key-access)/,
  'answers to directories': /^provisioning\/(scim\/|change-directory|deactivation)/,
  'the hash chain and the stream of the audit log, for the command line and the log':
    /^audit\/(seal-entries|verify-chain|audit-receivers)|^privacy\/erase-person/,
  'answers to apps': /^distributions\/update-check\//,
  'answers of OAuth 2, which are ASCII (RFC 6749, section 5.2)': /terminal-sign-in\/oauth-routes\.ts$/,
  'the API documentation':
    /^uploads\/upload-fields\.ts$|^distributions\/distribution-page\.ts$|^operations\/open-site-http\.ts$/,
  'declarations that are wrong, at the start': /^http\/routes\//,
  'what a provider of single sign-on did wrong, for the log': /oidc-provider\.ts$|^accounts\/saml\//,
  'findings, which apps/findings translates by their code': /^packages\//,
  SQL: /-queries\.ts$|^db\//,
  'files, scripts and configuration':
    /ci-snippets|install-manifest|profile-service|site-routes|security-headers/,
  catalogs: /messages(-\w+)?\.\w\w\.ts$/,
  'names that nobody may take': /^owners\/owner\.ts$/,
  'scripts, whose texts come with the page': /^web\/browser\//,
};

/** Names, codes and commands that look like sentences, errors of keys, and errors that are bugs. */
const notSentences = new Set([
  'App binary (IPA, APK or AAB).',
  'a blob with the key … already exists',
  'a new user',
  'account of a known browser',
  'account of a second step',
  'application create error: limit',
  'application create error: …',
  'begun for a purpose',
  'caller or network',
  'confirm access by passkey',
  'create a project',
  'create invite link',
  'end of work',
  'iPhone XS Max',
  'key in form',
  'name that nobody has',
  'a name that nobody has',
  'a new user',
  "node slipway.mjs simulate '…'",
  'nofollow noopener noreferrer',
  'nobody was removed: no access to …: …',
  'not a blob key: …',
  'password and code',
  'password and passkey',
  'password and recovery code',
  'refused upload by',
  'refused upload from',
  'requests without an answer',
  'rows of refused sign-ins',
  'slipway user password NAME',
  'sources of a catalog',
  'the body did not arrive',
  'failed conversions of',
  'failed packages by',
  'the device response',
  'the job waits',
  'the key does not have the scope …',
  'the mailer is closed',
  'the outcome of the commit is unknown',
  'totp secret to be confirmed',
  'wrong key from',
]);

/** Audit entries that store English words instead of codes. The list must become empty. */
const storedEnglish: readonly string[] = [
  'apps/deletion/build-deletion.ts',
  'apps/deletion/deletion.ts',
  'owners/retention/change-retention.ts',
];

it('has no sentence in code: catalogs contain what people read', () => {
  const found = files.flatMap((file) => {
    const path = relative(root, file);
    const isExempt = Object.values(notForPages).some((pattern) => pattern.test(path));
    if (isExempt || storedEnglish.includes(path)) return [];
    const source = readFileSync(file, 'utf8');
    const raw =
      /-routes\.ts$/.test(path) && /(?<!findingText\()\berror\.message\b/.test(source)
        ? ['error.message']
        : [];
    return [...raw, ...sentenceLiterals(file, source).filter((text) => !notSentences.has(text))].map(
      (text) => `${path}: ${text.replace(/\s+/g, ' ').slice(0, 100)}`,
    );
  });
  expect(found).toEqual([]);
});

it.each([
  ["throw new Forbidden('you cannot do that')", ['you cannot do that']],
  ['const limit = { refusal: `try again in ${' + '5} minutes` }', ['try again in … minutes']],
  ['const page = <p>Gone</p>', ['Gone']],
  ["log.warn({}, 'the disk is full'); throw new Error('this is a bug')", []],
  ["defineRoute({ summary: 'Show the keys of someone' })", []],
])('finds the sentences of %s', (source, expected) => {
  expect(sentenceLiterals('page.tsx', source)).toEqual(expected);
});
