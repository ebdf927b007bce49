import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { uploadHelp } from '../../src/commands/uploader/upload-command.ts';
import { inputTable, uploadOptionNames } from '../../src/commands/uploader/upload-inputs.ts';
import type { UploadOptions } from '../../src/commands/uploader/upload-options.ts';
import { readUploadOptions } from '../../src/commands/uploader/upload-options.ts';

const env = { SLIPWAY_API_KEY: 'slw_test' };

function read(argv: string[], more: Record<string, string> = {}): UploadOptions {
  const call = readUploadOptions(argv, { ...env, ...more });
  if (call.kind !== 'upload') throw new Error(call.kind);
  return call.options;
}

test('a file and an owner are sufficient', () => {
  expect(read(['demo.apk', '--owner', 'acme'])).toEqual({
    file: 'demo.apk',
    iosSimulatorZip: null,
    attestation: null,
    symbols: [],
    baseUrl: new URL('http://127.0.0.1:8080/'),
    owner: 'acme',
    fields: [],
    canContinueLater: false,
    idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    key: { kind: 'given', key: 'slw_test' },
    comment: false,
    status: false,
    pullRequest: undefined,
    failOn: [],
    retries: null,
    idleTimeoutMs: 300_000,
    checksTimeoutMs: 300_000,
    json: false,
    quiet: false,
    qr: null,
  });
});

test('every API field has an option', () => {
  const options = read([
    '--message=m',
    '--distribution-key=k',
    '--distribution-name=n',
    '--release-note=r',
    '--disable-notify',
    '--branch=b',
    '--commit=c',
    '--build-url=u',
    '--label=l',
    '--ios-simulator-zip=sim.zip',
    '--attestation=bundle.json',
    '--idempotency-key=once',
    '--retries=20',
    '-oacme',
    'demo.ipa',
  ]);
  expect(options.fields).toEqual([
    { name: 'message', value: 'm' },
    { name: 'distribution_key', value: 'k' },
    { name: 'distribution_name', value: 'n' },
    { name: 'release_note', value: 'r' },
    { name: 'disable_notify', value: 'true' },
    { name: 'branch', value: 'b' },
    { name: 'commit', value: 'c' },
    { name: 'build_url', value: 'u' },
    { name: 'label', value: 'l' },
  ]);
  expect(options).toMatchObject({
    iosSimulatorZip: 'sim.zip',
    attestation: 'bundle.json',
    canContinueLater: true,
    idempotencyKey: 'once',
    retries: 20,
    owner: 'acme',
    file: 'demo.ipa',
  });
});

test('each run has its own idempotency key', () => {
  const keys = [1, 2].map(() => read(['a', '-o', 'b']).idempotencyKey);
  expect(keys[0]).not.toBe(keys[1]);
});

test.each([
  [[], {}, 'http://127.0.0.1:8080/'],
  [[], { SLIPWAY_URL: 'https://apps.example.com' }, 'https://apps.example.com/'],
  [
    ['--url', 'https://other.example.com//', '--api-key-stdin'],
    { SLIPWAY_URL: 'https://apps.example.com' },
    'https://other.example.com/',
  ],
  [['--url', 'https://example.com/apps'], {}, 'https://example.com/apps/'],
])('the options %j and environment %j select the server %s', (argv, more, url) => {
  expect(read(['a', '-o', 'b', ...argv], more).baseUrl.href).toBe(url);
});

test.each([['https://other.example.com'], ['http://apps.example.com'], ['https://apps.example.com:8443']])(
  'never sends the key of SLIPWAY_URL to %s',
  (url) => {
    const settings = { SLIPWAY_URL: 'https://apps.example.com' };
    expect(() => read(['a', '-o', 'b', '--url', url], settings)).toThrow(
      `SLIPWAY_API_KEY is for https://apps.example.com and is not sent to ${url}`,
    );
    expect(read(['a', '-o', 'b', '--url', url, '--api-key-stdin'], settings).key).toEqual({ kind: 'stdin' });
  },
);

const ci = {
  GITLAB_CI: 'true',
  CI_COMMIT_BRANCH: 'main',
  CI_COMMIT_SHA: 'abc',
  CI_JOB_URL: 'https://ci.example.com/1',
};

test('options take precedence over CI variables, even when empty', () => {
  expect(read(['a', '-o', 'b'], ci).fields).toEqual([
    { name: 'branch', value: 'main' },
    { name: 'commit', value: 'abc' },
    { name: 'build_url', value: 'https://ci.example.com/1' },
  ]);
  expect(read(['a', '-o', 'b', '--branch', 'mine', '--commit', '', '--build-url='], ci).fields).toEqual([
    { name: 'branch', value: 'mine' },
  ]);
});

test.each([
  [[], 'Missing file'],
  [['a'], 'Missing --owner'],
  [['a', '--owner', '..'], '--owner must be a name'],
  [['a', 'b', '-o', 'c'], 'Pass one file, not several: a, b.'],
  [['a', '-o', 'b', '--nope'], "Unknown option '--nope'."],
  [['a', '-o', 'b', '--api-key=hush'], 'SLIPWAY_API_KEY or --key-stdin'],
  [['a', '-o', 'b', '--label', 'x', '--label', 'y'], '--label was specified more than once.'],
  [['a', '-o', 'b', '--message'], "'-m, --message <value>' argument missing"],
  [['a', '-o', 'b', '--json=yes'], "'--json' does not take an argument"],
  [['a', '-o', 'b', '--qr', '--no-qr'], 'cannot be combined'],
  [['a', '-o', 'b', '--retries', '21'], '--retries must be a whole number from 0 to 20, not 21'],
  [['a', '-o', 'b', '--retries', '1.5'], '--retries must be a whole number'],
  [['a', '-o', 'b', '--timeout', '0'], '--timeout must be a whole number from 1 to 86400'],
  [['a', '-o', 'b', '--url', 'apps.example.com'], '--server must be an address such as https://'],
  [['a', '-o', 'b', '--url', 'ftp://apps.example.com'], '--server must be an address such as https://'],
  [['a', '-o', 'b', '--url', 'https://u:p@apps.example.com'], 'must not contain a user name or password'],
  [['a', '-o', 'b', '--url', 'https://apps.example.com/?a'], '--server must not contain ? or #'],
  [
    ['a', '-o', 'b', '--page', 'x', '--distribution-name', 'y'],
    '--distribution-name was specified more than once.',
  ],
  [
    ['a', '-o', 'b', '--fail-on', 'stores'],
    '--fail-on must list install, size, store, security, dependencies, permissions, components, size=',
  ],
  [['a', '-o', 'b', '--fail-on', 'size='], 'not size='],
  [['a', '-o', 'b', '--checks-timeout', '-1'], '--checks-timeout'],
  [['a', '-o', 'b', '--idempotency-key', 'two words'], '--idempotency-key must have 1 to 255'],
  [['a', '-o', 'b', '--idempotency-key', 'x'.repeat(256)], '--idempotency-key must have 1 to 255'],
])('the options %j are rejected with %j', (argv, words) => {
  expect(() => readUploadOptions(argv, env)).toThrow(words);
});

test('an ID token replaces what the CI service says of the build, but not what the user says', () => {
  const gitlab = {
    GITLAB_CI: 'true',
    CI_COMMIT_BRANCH: 'main',
    CI_COMMIT_SHA: 'feedbee',
    CI_JOB_URL: 'https://gitlab.com/acme/tide/-/jobs/99',
  };
  const fields = (argv: string[], more: Record<string, string>) =>
    read(['a', '-o', 'b', ...argv], { ...gitlab, ...more }).fields.map(({ name }) => name);
  const keyless = { SLIPWAY_API_KEY: '', SLIPWAY_ID_TOKEN: 'a.b.c' };
  expect(fields([], keyless)).toEqual([]);
  expect(fields(['--trusted'], {})).toEqual([]);
  expect(fields(['--branch=main', '-m', 'x'], keyless)).toEqual(['message', 'branch']);
  expect(fields([], { SLIPWAY_ID_TOKEN: 'a.b.c' })).toEqual(['branch', 'commit', 'build_url']);
});

test('does not echo a secret passed by mistake', () => {
  const call = () => readUploadOptions(['a', '-o', 'b', '--api-key=hush'], env);
  expect(call).not.toThrow('hush');
  expect(() => readUploadOptions(['a', '-o', 'b'], { SLIPWAY_API_KEY: 'hush hush' })).not.toThrow('hush');
});

test.each([undefined, '', '  '])('a missing key (%j) leaves the choice to ID tokens and logins', (key) => {
  expect(read(['a', '-o', 'b'], { SLIPWAY_API_KEY: key ?? '' }).key).toEqual({ kind: 'none' });
  expect(read(['a', '-o', 'b', '--api-key-stdin']).key).toEqual({ kind: 'stdin' });
  expect(read(['a', '-o', 'b', '--trusted']).key).toEqual({ kind: 'trusted' });
  expect(read(['a', '-o', 'b'], { SLIPWAY_TRUSTED: 'yes' }).key).toEqual({ kind: 'trusted' });
});

test('inputs of integrations come from the environment, and options take precedence', () => {
  const settings = {
    SLIPWAY_API_KEY: '',
    SLIPWAY_KEY: 'slw_other',
    SLIPWAY_SERVER: 'https://apps.example.com',
    SLIPWAY_OWNER: 'acme',
    SLIPWAY_FILE: 'app.apk',
    SLIPWAY_PAGE: 'main',
    SLIPWAY_MESSAGE: '- a list',
    SLIPWAY_RELEASE_NOTES: 'notes',
    SLIPWAY_NOTIFY: 'false',
    SLIPWAY_FAIL_ON: 'install, size=5%,size=2MB,size, store',
  };
  expect(read([], settings)).toMatchObject({
    file: 'app.apk',
    owner: 'acme',
    baseUrl: new URL('https://apps.example.com/'),
    key: { kind: 'given', key: 'slw_other' },
    fields: [
      { name: 'message', value: '- a list' },
      { name: 'distribution_name', value: 'main' },
      { name: 'release_note', value: 'notes' },
      { name: 'disable_notify', value: 'true' },
    ],
    failOn: [
      { name: 'install' },
      { name: 'growth', most: '5%', percent: 5, bytes: null },
      { name: 'growth', most: '2MB', percent: null, bytes: 2_000_000 },
      { name: 'checks', check: 'size' },
      { name: 'checks', check: 'store' },
    ],
  });
  const options = read(['b.apk', '-o', 'me', '--page', '', '--notify', '--message=x'], settings);
  expect(options).toMatchObject({ file: 'b.apk', owner: 'me' });
  expect(options.fields).toEqual([
    { name: 'message', value: 'x' },
    { name: 'release_note', value: 'notes' },
  ]);
  expect(() => read([], { ...settings, SLIPWAY_NOTIFY: 'maybe' })).toThrow(
    'SLIPWAY_NOTIFY must be true or false, not maybe',
  );
});

test('a stored login decides the server if nothing else does', () => {
  const server = (settings: Record<string, string>) => {
    const call = readUploadOptions(['a', '-o', 'b'], settings, 'https://signed-in.example.com');
    return call.kind === 'upload' && call.options.baseUrl.origin;
  };
  expect(server({})).toBe('https://signed-in.example.com');
  expect(server({ SLIPWAY_URL: 'https://apps.example.com' })).toBe('https://apps.example.com');
});

test('the docs list every option with its environment variable', () => {
  const path = fileURLToPath(new URL('../../docs/command-line.md', import.meta.url));
  const text = readFileSync(path, 'utf8');
  const [shown = ''] = /^\| option \| environment \|[\s\S]*?(?=\n\n)/m.exec(text) ?? [];
  if (process.env.UPDATE_GOLDEN === '1')
    writeFileSync(
      path,
      text.replace(shown, () => inputTable()),
    );
  else expect(shown).toBe(inputTable());
});

test('help and version need no other options, and the help names every option', () => {
  expect(readUploadOptions(['--help'], {})).toEqual({ kind: 'help' });
  expect(readUploadOptions(['-V'], {})).toEqual({ kind: 'version' });
  const help = uploadHelp('slipway upload');
  for (const name of uploadOptionNames) expect(help).toContain(name);
  expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});
