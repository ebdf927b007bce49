import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { expect, onTestFinished, test } from 'vitest';
import { runUpload } from '../../src/commands/uploader/upload-command.ts';
import type { UploadIo } from '../../src/commands/uploader/upload-io.ts';
import { stepOutputNames } from '../../src/commands/uploader/upload-outputs.ts';
import type { Reply } from '../support/receive-upload.ts';
import {
  accept,
  afterBodyBytes,
  breakConnection,
  checksReply,
  errorBody,
  refuse,
  uploadedBody,
} from '../support/receive-upload.ts';
import { noise, startReceiver, temporaryFile, temporaryFolder, testIo } from './upload-test-kit.ts';

const pageUrl = 'https://apps.example.com/distributions/0123456789abcdef';
const noOutputs = {
  build_url: null,
  page_url: null,
  qr_url: null,
  revision: 7,
  size: null,
  size_change: null,
  source: null,
  install_problems: [],
};
const withPage = uploadedBody({ distribution: { url: pageUrl } });

async function run(
  context: Pick<TestContext, 'onTestFinished'>,
  replies: Reply[],
  argv: string[] = [],
  more: Partial<UploadIo> = {},
) {
  const receiver = await startReceiver(context, ...replies);
  const file = await temporaryFile(context, 'demo.apk', noise(300_000));
  const io = testIo(more);
  const exitCode = await runUpload([file, '--owner', 'acme', '--url', receiver.url, ...argv], io);
  return { exitCode, io, out: io.out(), err: io.err(), received: receiver.received, url: receiver.url, file };
}

test('the address goes to standard output and progress to standard error', async (context) => {
  const { exitCode, out, err, received, url } = await run(context, [accept(withPage)]);
  expect(exitCode).toBe(0);
  expect(out).toBe(`${pageUrl}\n`);
  expect(err).toBe(
    `Uploading demo.apk (293 KiB) to acme at ${url}\nUploaded Demo 1.2.3 (45) for Android as revision 7 in 0 s.\n`,
  );
  expect(received[0]?.path).toBe('/api/users/acme/apps');
  expect(received[0]?.headers).toMatchObject({
    authorization: 'Bearer slw_test',
    'user-agent': 'slipway-upload/9.8.7',
  });
  expect(received[0]?.parts.map(({ name }) => name)).toEqual(['file']);
});

test('the address is the app page on the same server without a distribution page', async (context) => {
  const { out, url } = await run(context, [accept()]);
  expect(out).toBe(`${url}/users/acme/apps/com.example.demo\n`);
});

test('every field and both files are sent, fields first', async (context) => {
  const zip = await temporaryFile(context, 'sim.zip', 'ZIP');
  const attestation = await temporaryFile(context, 'bundle.json', '{}\n');
  const argv = ['-m', 'two\nlines', '--distribution-name', 'feature/ü', '--disable-notify', '--label', 'x'];
  const { received } = await run(
    context,
    [accept()],
    [...argv, '--ios-simulator-zip', zip, '--attestation', attestation, '--release-note', ''],
  );
  expect(received[0]?.parts.map(({ bytes, ...part }) => ({ ...part, size: bytes?.length }))).toMatchObject([
    { name: 'message', value: 'two\nlines' },
    { name: 'distribution_name', value: 'feature/ü' },
    { name: 'disable_notify', value: 'true' },
    { name: 'label', value: 'x' },
    { name: 'attestation', value: '{}\n' },
    { name: 'ios_simulator_zip', fileName: 'sim.zip', contentType: 'application/zip', size: 3 },
    { name: 'file', fileName: 'demo.apk', size: 300_000 },
  ]);
});

test('symbol files are sent to the build, and exit code 3 says that one was not stored', async (context) => {
  const mapping = await temporaryFile(context, 'mapping.txt', 'a.B -> c:');
  const zip = await temporaryFile(context, 'dSYMs.zip', 'PK');
  const body = uploadedBody({ user: { name: 'acme' } });
  const { exitCode, received, out, err } = await run(
    context,
    [accept(body), refuse(201, { id: '1' }), refuse(503, {}), refuse(400, { detail: 'No symbols.' })],
    ['--symbols', `${mapping},${zip}`],
    { pause: async () => {} },
  );
  const path = '/api/v1/apps/acme/android/com.example.demo/builds/7/symbols';
  expect(received.slice(1).map((one) => one.path)).toEqual(Array(3).fill(path));
  expect(exitCode).toBe(3);
  expect(out).toContain('/com.example.demo');
  expect(err).toContain('Symbols not uploaded: dSYMs.zip: No symbols.');
});

test('nothing is sent if a symbol file is missing', async (context) => {
  const { exitCode, received, err } = await run(context, [accept()], ['--symbols', '/nowhere/mapping.txt']);
  expect([exitCode, received, err]).toEqual([1, [], expect.stringContaining('File not found')]);
});

test('--json prints the whole response on one line and nothing else', async (context) => {
  const { exitCode, out } = await run(
    context,
    [accept(uploadedBody({ more: { deep: [1, 'é\n'] } }))],
    ['--json'],
  );
  expect(exitCode).toBe(0);
  expect(out.endsWith('\n')).toBe(true);
  expect(out.slice(0, -1)).not.toContain('\n');
  expect(JSON.parse(out)).toEqual({ ...uploadedBody({ more: { deep: [1, 'é\n'] } }), ...noOutputs });
});

test('--json prints the same format for server errors and its own', async (context) => {
  const refused = await run(
    context,
    [refuse(403, { ...errorBody('permit'), error_type: 'forbidden' })],
    ['--json'],
  );
  expect(refused.exitCode).toBe(1);
  expect(JSON.parse(refused.out)).toEqual({ ...errorBody('permit'), error_type: 'forbidden' });
  expect(refused.err).toContain('Not uploaded: permit (403)\n');
  const io = testIo();
  expect(await runUpload(['/nowhere/demo.apk', '-o', 'acme', '--json'], io)).toBe(1);
  expect(JSON.parse(io.out())).toEqual(errorBody('File not found: /nowhere/demo.apk.'));
});

test('a broken connection is retried with the same key and the whole file', async (context) => {
  const replies = [afterBodyBytes(1000, breakConnection), refuse(503), accept(withPage)];
  const { exitCode, io, received, err } = await run(context, replies);
  expect(exitCode).toBe(0);
  expect(io.pauses).toEqual([1000, 2000]);
  const keys = received.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(received[2]?.parts[0]?.bytes?.equals(noise(300_000))).toBe(true);
  expect(err).toMatch(/The connection to .* broke after .* Trying again in 1 s \(1 of 3\) …\n/);
  expect(err).toContain('The server answered 503. Trying again in 2 s (2 of 3) …\n');
});

test('retries are limited and can be turned off', async (context) => {
  const after3 = await run(context, [refuse(503, 'Service Unavailable')]);
  expect(after3.exitCode).toBe(1);
  expect(after3.received).toHaveLength(4);
  expect(after3.err).toMatch(
    /Not uploaded: .* answered 503 Service Unavailable, not as a Slipway server: Service Unavailable\n$/,
  );
  const none = await run(
    context,
    [afterBodyBytes(1000, breakConnection)],
    ['--retries', '0', '--idempotency-key', 'ci-1'],
  );
  expect(none.exitCode).toBe(1);
  expect(none.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['ci-1']);
});

test.each([401, 403, 404, 409, 413, 500])(
  'a response of %i is not retried, and its message is shown',
  async (status) => {
    const { exitCode, out, err, received } = await run({ onTestFinished }, [
      refuse(status, errorBody('the reason')),
    ]);
    expect(exitCode).toBe(1);
    expect(out).toBe('');
    expect(err).toContain(`Not uploaded: the reason (${status})\n`);
    expect(received).toHaveLength(1);
    expect(received[0]?.bodyBytes).toBe(0);
  },
);

test('the key can come from standard input and is never printed', async (context) => {
  const readStdin = async () => 'slw_piped\n';
  const { exitCode, out, err, received } = await run(
    context,
    [refuse(401, errorBody('no'))],
    ['--api-key-stdin', '--json'],
    { env: {}, readStdin },
  );
  expect(exitCode).toBe(1);
  expect(received[0]?.headers.authorization).toBe('Bearer slw_piped');
  expect(out + err).not.toContain('slw_piped');
});

test.each([
  [['demo.apk'], {}, 'Missing --owner: the user or project'],
  [['demo.apk', '-o', 'acme'], { env: {} }, 'No API key: set SLIPWAY_API_KEY'],
  [['demo.apk', '-o', 'acme', '--api-key-stdin'], {}, 'No API key'],
  [['--nope'], {}, "Unknown option '--nope'."],
  [['demo.apk', '-o', 'acme', '--branch', 'gr\ufffdte'], {}, 'Argument 5 is not UTF-8: gr\ufffdte'],
])('the invalid usage %j exits with 2', async (argv, more, words) => {
  const io = testIo(more);
  expect(await runUpload(argv, io)).toBe(2);
  expect(io.err()).toContain(words);
  expect(io.err()).toMatch(/\nTry slipway upload --help\n$/);
  expect(io.out()).toBe('');
});

test('help and version go to standard output', async () => {
  const io = testIo({ env: {} });
  expect(await runUpload(['--help'], io)).toBe(0);
  expect(io.out()).toContain('Usage: slipway upload FILE --owner OWNER');
  const again = testIo({ env: {} });
  expect(await runUpload(['--version'], again)).toBe(0);
  expect(again.out()).toBe('9.8.7\n');
});

test('the QR code follows the address on a terminal, and elsewhere only on request', async (context) => {
  const qrStart = '\x1b[38;5;16;48;5;231m';
  const terminal = await run(context, [accept(withPage)], [], { isTerminal: true });
  expect(terminal.err).toContain(qrStart);
  expect(terminal.out).toBe(`${pageUrl}\n`);
  const withoutColor = { isTerminal: true, env: { SLIPWAY_API_KEY: 'k', NO_COLOR: '1' } };
  expect((await run(context, [accept(withPage)], [], withoutColor)).err).toMatch(/█▀/);
  expect((await run(context, [accept(withPage)], ['--no-qr'], { isTerminal: true })).err).not.toMatch(
    /[█▀▄]/,
  );
  expect((await run(context, [accept(withPage)])).err).not.toMatch(/[█▀▄]/);
  expect((await run(context, [accept(withPage)], ['--qr'])).err).toMatch(/█▀/);
});

test('a QR code that a phone cannot use causes a warning, and one that does not fit is omitted', async (context) => {
  const local = await run(context, [accept()], [], { isTerminal: true });
  expect(local.err).toContain('This address works only on this machine');
  const narrow = await run(context, [accept(withPage)], ['--qr'], { isTerminal: true, columns: () => 30 });
  expect(narrow.err).toContain('The QR code does not fit on this terminal.');
});

test('a quiet run prints only warnings', async (context) => {
  const { err, out } = await run(
    context,
    [accept(uploadedBody({ warnings: ['message was cut'] }))],
    ['--quiet'],
  );
  expect(err).toBe('Warning: message was cut\n');
  expect(out).toMatch(/^http:.*\n$/);
});

test('a file that changes between attempts is not sent again', async (context) => {
  const file = await temporaryFile(context, 'demo.apk', noise(1000));
  const receiver = await startReceiver(context, refuse(503), accept());
  const io = testIo({ pause: () => appendFile(file, 'x') });
  expect(await runUpload([file, '-o', 'acme', '--url', receiver.url], io)).toBe(1);
  expect(io.err()).toContain('was changed while it was being uploaded');
  expect(receiver.received[1]?.parts).toEqual([]);
});

test('reports outputs, writes them for GitHub, and exits with 3 if --fail-on applies', async (context) => {
  const folder = await temporaryFolder(context);
  const [outputFile, hostile] = [join(folder, 'output'), 'Not signed.\nrevision=9'];
  const body = uploadedBody({
    revision_url: 'https://apps.example.com/r/7',
    file_size: 1_100,
    size_change: 100,
    install_problems: [hostile],
    distribution: { url: pageUrl, qr_url: 'https://apps.example.com/qr?data=x' },
  });
  const exits = async (failOn: string) =>
    (await run(context, [accept(body)], ['--json', '--fail-on', failOn])).exitCode;
  expect(await exits('size=10%')).toBe(0);
  expect(await exits('size=9.9%')).toBe(3);
  expect(await exits('size=99B')).toBe(3);
  const variables = `${outputFile}.env`;
  const env = { SLIPWAY_API_KEY: 'k', GITHUB_OUTPUT: outputFile, SLIPWAY_OUTPUT: variables };
  const { exitCode, out, err } = await run(context, [accept(body)], ['--json', '--fail-on=install'], { env });
  expect(exitCode).toBe(3);
  expect(err).toContain('--fail-on: Nobody can install this build: Not signed. revision=9\n');
  const outputs = {
    build_url: 'https://apps.example.com/r/7',
    page_url: pageUrl,
    qr_url: 'https://apps.example.com/qr?data=x',
    revision: 7,
    size: 1_100,
    size_change: 100,
    source: null,
    install_problems: [hostile],
  };
  expect(JSON.parse(out)).toEqual({ ...body, ...outputs });
  const written = await readFile(outputFile, 'utf8');
  const blocks = [...written.matchAll(/^([a-z-]+)<<(slipway_\w{32})\n([\s\S]*?)\n\2\n/gm)];
  expect(blocks.map(([, name]) => name)).toEqual(stepOutputNames);
  expect(blocks.map(([whole]) => whole).join('')).toBe(written);
  expect(blocks.slice(0, -1).map(([, , , value]) => value)).toEqual([
    outputs.build_url,
    outputs.page_url,
    outputs.qr_url,
    '7',
    '1100',
    '100',
  ]);
  expect(await readFile(variables, 'utf8')).toBe(
    [
      `SLIPWAY_BUILD_URL=${outputs.build_url}`,
      `SLIPWAY_PAGE_URL=${outputs.page_url}`,
      `SLIPWAY_QR_URL=${outputs.qr_url}`,
      'SLIPWAY_REVISION=7',
      'SLIPWAY_SIZE=1100',
      'SLIPWAY_SIZE_CHANGE=100',
      `SLIPWAY_JSON=${variables}.json\n`,
    ].join('\n'),
  );
  expect(JSON.parse(await readFile(`${variables}.json`, 'utf8'))).toEqual({ ...body, ...outputs });
});

const failedCheck = {
  category: 'store',
  state: 'failed',
  line: 'Target API level 36 or higher: The build targets API level 35.',
};

async function runChecked(checks: Reply[], argv: string[], more: Partial<UploadIo> = {}) {
  const receiver = await startReceiver({ onTestFinished }, accept(withPage));
  receiver.checks.push(...checks);
  const file = await temporaryFile({ onTestFinished }, 'demo.apk', noise(1_000));
  const io = testIo({ ...more, pause: async (milliseconds) => io.tick(milliseconds) });
  const exitCode = await runUpload([file, '--owner', 'acme', '--url', receiver.url, ...argv], io);
  const said = io.err().split('\n').slice(2, -1);
  return { exitCode, said, asked: receiver.checkRequests, uploads: receiver.received.length, io };
}

test('--fail-on waits for the checks of the server, and fails with those of its categories', async () => {
  const accepted = {
    category: 'store',
    state: 'accepted',
    line: '16 KB pages: 2 libraries',
    acceptance: { by: 'maya', reason: 'Ships\nlater', at: '2026-11-01T00:00:00Z' },
  };
  const size = { category: 'size', state: 'failed', line: 'Download size: +3.0 MiB' };
  const checks = [
    checksReply('waiting'),
    refuse(503),
    checksReply('waiting'),
    checksReply(
      'analyzed',
      { category: 'size', state: 'passed', line: 'Install size: fine' },
      accepted,
      size,
      failedCheck,
      { category: 'security', state: 'not_analyzed', line: 'New permissions' },
      { category: 'security', state: 'warned', line: 'New exported components: .Main' },
    ),
  ];
  const store = await runChecked(checks, ['--fail-on', 'store,security,dependencies']);
  expect(store.exitCode).toBe(3);
  expect(store.said).toEqual([
    'Waiting for the checks of the build …',
    'Check: Failed: Download size: +3.0 MiB',
    'Check: Warning: New exported components: .Main',
    'Check: Not analyzed: New permissions',
    'Check: Accepted by maya: 16 KB pages: 2 libraries Reason: Ships later',
    `--fail-on: ${failedCheck.line}`,
  ]);
  expect(store.asked.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual(
    Array(4).fill(['GET', '/api/v1/apps/acme/android/com.example.demo/builds/7/checks', 'Bearer slw_test']),
  );
  expect(store.io.now()).toBe(1_000 + 2_000 + 4_000);
  expect((await runChecked(checks, ['--fail-on=dependencies'])).exitCode).toBe(0);
  const permissions = checksReply('analyzed', {
    id: 'new-permissions',
    category: 'security',
    state: 'failed',
    line: 'New permissions: CAMERA',
  });
  for (const [failOn, code] of [
    ['permissions', 3],
    ['security', 3],
    ['components,store', 0],
  ] as const)
    expect((await runChecked([permissions], [`--fail-on=${failOn}`])).exitCode).toBe(code);
  const quiet = await runChecked(checks, ['--fail-on=size', '--quiet']);
  expect([quiet.exitCode, quiet.said]).toEqual([3, ['--fail-on: Download size: +3.0 MiB']]);
  expect((await runChecked([checksReply('analyzed', accepted)], ['--fail-on=store'])).exitCode).toBe(0);
});

test('exits with 4 if --fail-on needs checks that are not known', async () => {
  const ends = async (reply: Reply, ...argv: string[]) => {
    const { exitCode, said, asked, uploads } = await runChecked([reply], ['--fail-on=size,store', ...argv]);
    expect(uploads).toBe(1);
    return [exitCode, said.at(-1), asked.length];
  };
  expect(await ends(checksReply('waiting'))).toEqual([
    4,
    '--fail-on: The build was not analyzed after 5 min 00 s (--checks-timeout).',
    14,
  ]);
  expect(await ends(checksReply('waiting'), '--checks-timeout=0')).toEqual([
    4,
    '--fail-on: The build was not analyzed after 0 s (--checks-timeout).',
    1,
  ]);
  expect(await ends(breakConnection, '--checks-timeout=1')).toEqual([
    4,
    expect.stringMatching(/^--fail-on: http:\S+ cannot be reached: .* after 1 s/),
    2,
  ]);
  const once = [
    [checksReply('failed'), 'The package could not be analyzed.'],
    [refuse(404), 'The server has no checks of this build: it needs a newer version of Slipway.'],
    [refuse(200, '<html>'), 'The server has no checks of this build: it needs a newer version of Slipway.'],
    [refuse(401), 'The server no longer accepts the key (401).'],
    [
      refuse(403, { detail: 'the key\nlacks a scope' }),
      'The server does not show the checks: the key lacks a scope (403).',
    ],
  ] as const;
  for (const [reply, sentence] of once) expect(await ends(reply)).toEqual([4, `--fail-on: ${sentence}`, 1]);
  const install = await run({ onTestFinished }, [accept(withPage)], ['--fail-on=install,size=5%']);
  expect(install.exitCode).toBe(0);
});

test('an unwritable output file is a warning, because the build is stored', async (context) => {
  const env = { SLIPWAY_API_KEY: 'k', GITHUB_OUTPUT: '/nowhere/output' };
  const { exitCode, err } = await run(context, [accept()], [], { env });
  expect(exitCode).toBe(0);
  expect(err).toContain('Warning: /nowhere/output cannot be written: ENOENT.\n');
});

test('after a cut connection, a server without resumable uploads gets the form again', async (context) => {
  const replies = [
    afterBodyBytes(1_000_000, breakConnection),
    refuse(404, { detail: 'no' }),
    accept(withPage),
  ];
  const receiver = await startReceiver(context, ...replies);
  const file = await temporaryFile(context, 'large.apk', noise(9 * 1024 * 1024));
  const io = testIo();
  expect(await runUpload([file, '-o', 'acme', '--url', receiver.url], io)).toBe(0);
  expect(receiver.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/users/acme/apps',
    'POST /api/v1/uploads',
    'POST /api/users/acme/apps',
  ]);
  const [first, creation, last] = receiver.received.map(({ headers }) => headers);
  expect(creation).toMatchObject({
    'tus-resumable': '1.0.0',
    'upload-length': String(9 * 1024 * 1024),
    'upload-metadata': 'filename bGFyZ2UuYXBr,owner YWNtZQ==',
    'idempotency-key': first?.['idempotency-key'],
  });
  expect(last?.['idempotency-key']).toBe(first?.['idempotency-key']);
  expect(receiver.received[2]?.parts[0]?.bytes?.length).toBe(9 * 1024 * 1024);
});

const location = { Location: '/api/v1/uploads/one' };
test.each<[string, Reply[], string[]]>([
  ['removes Tus-Resumable', [refuse(412, { detail: 'no' })], []],
  ['removes Location', [refuse(201, {})], []],
  ['leads elsewhere', [refuse(201, {}, { Location: 'http://127.0.0.1:1/api/v1/uploads/one' })], []],
  ['removes Upload-Offset', [refuse(201, {}, location), refuse(204), refuse(204)], ['PATCH', 'DELETE']],
  ['blocks PATCH', [refuse(201, {}, location), refuse(405, 'no'), refuse(405, 'no')], ['PATCH', 'DELETE']],
  [
    'blocks PATCH like a firewall',
    [refuse(201, {}, location), refuse(403, 'no'), refuse(204)],
    ['PATCH', 'DELETE'],
  ],
])('sends the form through a proxy that %s', async (_, replies, methods) => {
  const all = [afterBodyBytes(1_000_000, breakConnection), ...replies, accept(withPage)];
  const receiver = await startReceiver({ onTestFinished }, ...all);
  const file = await temporaryFile({ onTestFinished }, 'large.apk', noise(9 * 1024 * 1024));
  const io = testIo();
  expect([await runUpload([file, '-o', 'acme', '--url', receiver.url], io), io.err()]).toEqual([
    0,
    expect.stringContaining('Uploaded Demo'),
  ]);
  expect(receiver.received.map(({ method }) => method)).toEqual(['POST', 'POST', ...methods, 'POST']);
});

test('a resumable upload does not wait longer than two minutes for the server', async (context) => {
  const replies = [
    afterBodyBytes(1_000_000, breakConnection),
    refuse(201, {}, location),
    refuse(429, { detail: 'Later.' }, { 'Retry-After': '121' }),
  ];
  const receiver = await startReceiver(context, ...replies);
  const file = await temporaryFile(context, 'large.apk', noise(9 * 1024 * 1024));
  const io = testIo();
  expect(await runUpload([file, '-o', 'acme', '--url', receiver.url], io)).toBe(1);
  expect(io.err()).toContain('Not uploaded: Later. (429)');
  expect(receiver.received.at(-1)).toMatchObject({ method: 'DELETE', path: location.Location });
});

test.each<[string, Reply, string[], string]>([
  ['ends on the server when it is refused', refuse(403, { detail: 'Full.' }), [], 'DELETE'],
  [
    'can be continued by a run with the same Idempotency-Key',
    refuse(403, { detail: 'Full.' }),
    ['--idempotency-key', 'one'],
    'PATCH',
  ],
])('a resumable upload %s', async (_, refusal, argv, last) => {
  const replies = [afterBodyBytes(1_000_000, breakConnection), refuse(201, {}, location), refusal];
  const receiver = await startReceiver({ onTestFinished }, ...replies);
  const file = await temporaryFile({ onTestFinished }, 'large.apk', noise(9 * 1024 * 1024));
  const io = testIo();
  expect(await runUpload([file, '-o', 'acme', '--url', receiver.url, ...argv], io)).toBe(1);
  expect(io.err()).toContain('Not uploaded: Full. (403)');
  expect(receiver.received.at(-1)?.method).toBe(last);
});

test('a file that changes within a resumable upload leaves nothing on the server', async (context) => {
  const file = await temporaryFile(context, 'large.apk', noise(17 * 1024 * 1024));
  const receiver = await startReceiver(
    context,
    afterBodyBytes(1_000_000, breakConnection),
    refuse(201, {}, location),
    afterBodyBytes(8 * 1024 * 1024, ({ response }) => {
      void appendFile(file, 'x').then(() =>
        response.writeHead(204, { 'Upload-Offset': String(8 * 1024 * 1024) }).end(),
      );
    }),
    refuse(204),
  );
  const io = testIo();
  expect(await runUpload([file, '-o', 'acme', '--url', receiver.url], io)).toBe(1);
  expect(io.err()).toContain('was changed while it was being uploaded; nothing was published');
  expect(receiver.received.map(({ method }) => method)).toEqual(['POST', 'POST', 'PATCH', 'DELETE']);
});
