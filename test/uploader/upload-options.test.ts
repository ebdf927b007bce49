import { expect, test } from 'vitest';
import { uploadHelp } from '../../src/commands/uploader/upload-command.ts';
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
    baseUrl: new URL('http://127.0.0.1:8080/'),
    owner: 'acme',
    fields: [],
    idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    apiKey: 'slw_test',
    retries: 3,
    idleTimeoutMs: 300_000,
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
    expect(read(['a', '-o', 'b', '--url', url, '--api-key-stdin'], settings).apiKey).toBeNull();
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
  [['a', '-o', 'b', '--api-key=hush'], 'SLIPWAY_API_KEY or --api-key-stdin'],
  [['a', '-o', 'b', '--label', 'x', '--label', 'y'], '--label was specified more than once.'],
  [['a', '-o', 'b', '--message'], "'-m, --message <value>' argument missing"],
  [['a', '-o', 'b', '--json=yes'], "'--json' does not take an argument"],
  [['a', '-o', 'b', '--qr', '--no-qr'], 'cannot be combined'],
  [['a', '-o', 'b', '--retries', '21'], '--retries must be a whole number from 0 to 20, not 21'],
  [['a', '-o', 'b', '--retries', '1.5'], '--retries must be a whole number'],
  [['a', '-o', 'b', '--timeout', '0'], '--timeout must be a whole number from 1 to 86400'],
  [['a', '-o', 'b', '--url', 'apps.example.com'], '--url must be an address such as https://'],
  [['a', '-o', 'b', '--url', 'ftp://apps.example.com'], '--url must be an address such as https://'],
  [['a', '-o', 'b', '--url', 'https://u:p@apps.example.com'], 'must not contain a user name or password'],
  [['a', '-o', 'b', '--url', 'https://apps.example.com/?a'], '--url must not contain ? or #'],
  [['a', '-o', 'b', '--idempotency-key', 'two words'], '--idempotency-key must have 1 to 255'],
  [['a', '-o', 'b', '--idempotency-key', 'x'.repeat(256)], '--idempotency-key must have 1 to 255'],
])('the options %j are rejected with %j', (argv, words) => {
  expect(() => readUploadOptions(argv, env)).toThrow(words);
});

test('does not echo a secret passed by mistake', () => {
  const call = () => readUploadOptions(['a', '-o', 'b', '--api-key=hush'], env);
  expect(call).not.toThrow('hush');
  expect(() => readUploadOptions(['a', '-o', 'b'], { SLIPWAY_API_KEY: 'hush hush' })).not.toThrow('hush');
});

test.each([undefined, '', '  '])('a missing key (%j) is an error', (key) => {
  expect(() => readUploadOptions(['a', '-o', 'b'], { SLIPWAY_API_KEY: key })).toThrow(
    'No API key: set SLIPWAY_API_KEY',
  );
  const call = readUploadOptions(['a', '-o', 'b', '--api-key-stdin'], { SLIPWAY_API_KEY: key });
  expect(call).toMatchObject({ options: { apiKey: null } });
});

test('help and version need no other options, and the help names every option', () => {
  expect(readUploadOptions(['--help'], {})).toEqual({ kind: 'help' });
  expect(readUploadOptions(['-V'], {})).toEqual({ kind: 'version' });
  const help = uploadHelp('slipway upload');
  for (const name of 'owner url message distribution-key distribution-name release-note disable-notify ios-simulator-zip branch commit build-url label idempotency-key api-key-stdin retries timeout json quiet qr no-qr help version'.split(
    ' ',
  )) {
    expect(help).toContain(`--${name}`);
  }
  expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});
