/** The upload form: parts in every order and shape that clients send, and those that must be refused. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildFields } from '../../src/apps/build-fields.ts';
import { buildApk } from '../support/build-apk.ts';
import { chunkedBody, openRaw, rawRequest, send } from '../support/http-client.ts';
import {
  bearer,
  leavesNothing,
  refusalOf,
  resultsOf,
  type UploadOptions,
  upload,
  uploaded,
  uploadParts,
} from '../support/interface-client.ts';
import { type FormPart, type MultipartOptions, multipart } from '../support/multipart-body.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const apk = buildApk({ packageName: 'com.example.form' });
const file = { name: 'file', content: apk, fileName: 'app.apk' };

let slipway: TestService;
beforeAll(async () => {
  slipway = await startTestService({ blobs: 'memory' });
});
afterAll(() => slipway.close());

describe('the upload form', () => {
  const taken: [string, readonly FormPart[], MultipartOptions?][] = [
    ['the file alone', [file]],
    ['the file first', [file, { name: 'message', value: 'm' }]],
    ['the file last', [{ name: 'message', value: 'm' }, file]],
    ['the file in between', [{ name: 'message', value: 'm' }, file, { name: 'release_note', value: 'r' }]],
    ['a quoted boundary', [file], { contentType: 'multipart/form-data; boundary="slipway-test-boundary"' }],
    [
      'a boundary with blanks, quoted',
      [file],
      { boundary: 'a b', contentType: 'multipart/form-data; boundary="a b"' },
    ],
    ['a boundary of 70 characters', [file], { boundary: 'x'.repeat(70) }],
    [
      'special characters in the boundary',
      [file],
      { boundary: "'()+_,-./:=?", contentType: `multipart/form-data; boundary="'()+_,-./:=?"` },
    ],
    [
      'blanks behind the header',
      [file],
      { contentType: 'multipart/form-data; boundary=slipway-test-boundary  ' },
    ],
    [
      'a charset before the boundary',
      [file],
      { contentType: 'multipart/form-data; charset=utf-8; boundary=slipway-test-boundary' },
    ],
    [
      'no blank before the boundary',
      [file],
      { contentType: 'multipart/form-data;boundary=slipway-test-boundary' },
    ],
    ['capitals', [file], { contentType: 'Multipart/Form-Data; Boundary=slipway-test-boundary' }],
    ['a preamble and an epilogue', [file], { preamble: 'This is multipart.\r\n', epilogue: 'The end.\r\n' }],
    ['a long epilogue', [file], { epilogue: 'z'.repeat(300_000) }],
    [
      'unknown fields',
      [
        { name: 'dg_command', value: 'x' },
        file,
        { name: 'visibility', value: 'private' },
        { name: '__proto__', value: 'x' },
        { name: 'constructor', value: 'y' },
      ],
    ],
    ['the same unknown field twice', [{ name: 'env_ci', value: '1' }, { name: 'env_ci', value: '2' }, file]],
    [
      'unknown files',
      [
        { name: 'mapping', content: Buffer.alloc(300_000), fileName: 'm.txt' },
        file,
        { name: 'dsym', content: apk },
      ],
    ],
    [
      'empty fields',
      [
        file,
        ...[
          'message',
          'distribution_key',
          'distribution_name',
          'release_note',
          'disable_notify',
          'branch',
          'commit',
          'build_url',
          'label',
          'token',
        ].map((name) => ({ name, value: '' })),
      ],
    ],
    [
      'a field twice with one value',
      [{ name: 'message', value: 'm' }, file, { name: 'message', value: 'm' }],
    ],
    [
      'an empty field beside one of the same name',
      [{ name: 'message', value: 'm' }, file, { name: 'message', value: '' }],
    ],
    ['an empty ios_simulator_zip', [file, { name: 'ios_simulator_zip', value: '' }]],
    [
      'an ios_simulator_zip without a file chosen',
      [file, { name: 'ios_simulator_zip', content: Buffer.alloc(0), fileName: '' }],
    ],
    ['the type of an APK', [{ ...file, contentType: 'application/vnd.android.package-archive' }]],
    ['the type octet/stream', [{ ...file, contentType: 'octet/stream' }]],
    ['a file without a type', [{ ...file, contentType: null }]],
    ['a file of type text/plain', [{ ...file, contentType: 'text/plain' }]],
    ['a file without a name but with the type of bytes', [{ ...file, fileName: null }]],
    [
      'a file without a name but with the type of an APK',
      [{ ...file, fileName: null, contentType: 'application/vnd.android.package-archive' }],
    ],
    [
      'a name twice that differs in blanks and Unicode form alone',
      [
        file,
        { name: 'branch', value: 'caf\u00e9' },
        { name: 'branch', value: ' cafe\u0301\n' },
        { name: 'branch', value: ' ' },
      ],
    ],
    ['a file name with a path', [{ ...file, fileName: 'C:\\builds\\..\\app.apk' }]],
    ['a file name in UTF-8', [{ ...file, fileName: 'приложение 应用.apk' }]],
    ['a file name with quotes', [{ ...file, fileName: 'a\\"b.apk' }]],
    ['a very long file name', [{ ...file, fileName: 'n'.repeat(8000) }]],
    [
      'headers of a part that nobody asked for',
      [
        {
          raw: Buffer.concat([
            Buffer.from(
              'X-Odd: 1\r\nContent-Transfer-Encoding: binary\r\nContent-Disposition: form-data; name="file"; filename="a.apk"\r\nContent-Length: 3\r\n\r\n',
            ),
            apk,
          ]),
        },
      ],
    ],
    [
      'an unquoted name',
      [
        {
          raw: Buffer.concat([
            Buffer.from('Content-Disposition: form-data; name=file; filename=a.apk\r\n\r\n'),
            apk,
          ]),
        },
      ],
    ],
    [
      'a folded header',
      [
        {
          raw: Buffer.concat([
            Buffer.from('Content-Disposition: form-data;\r\n name="file"; filename="a.apk"\r\n\r\n'),
            apk,
          ]),
        },
      ],
    ],
    [
      'an extended file name',
      [
        {
          raw: Buffer.concat([
            Buffer.from(
              `Content-Disposition: form-data; name="file"; filename="a.apk"; filename*=UTF-8''%e2%82%ac.apk\r\n\r\n`,
            ),
            apk,
          ]),
        },
      ],
    ],
  ];
  it.each(taken)('accepts %s', async (_name, parts, form) => {
    const results = await uploaded(slipway, { parts, form });
    expect(results.package_name).toBe('com.example.form');
    expect(results.file_size).toBe(apk.length);
    expect(results).not.toHaveProperty('distribution');
    const message = parts.find((part) => 'name' in part && part.name === 'message');
    expect(results.message).toBe(message && 'value' in message ? message.value : '');
  });

  it('keeps a file that looks like a delimiter complete', async () => {
    const tricky = Buffer.concat([
      Buffer.from('\r\n--slipway-test-boundar\r\n--slipway-test\r\n\r\n--\r\n-'),
      buildApk({ packageName: 'com.example.tricky' }),
    ]);
    const withPrefix = buildApk({
      packageName: 'com.example.tricky',
      extraEntries: [{ name: 'assets/x', content: tricky }],
    });
    const results = await uploaded(slipway, { file: withPrefix });
    expect(results.file_size).toBe(withPrefix.length);
  });

  it.each<[string, (bytes: Buffer) => Promise<Buffer[]> | Buffer[]]>([
    ['byte by byte', (bytes) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))],
    [
      'in pieces of 7 bytes',
      (bytes) =>
        Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7)),
    ],
  ])('reads a body sent %s', async (_name, cut) => {
    const { contentType, body } = multipart([
      { name: 'message', value: 'ümlaut 株' },
      { name: 'label', value: '' },
      file,
      { name: 'branch', value: 'main' },
      { name: 'commit', value: '' },
    ]);
    const connection = await openRaw(slipway.port);
    const headers = {
      ...bearer(slipway.adminKey),
      'Content-Type': contentType,
      'Content-Length': body.length,
    };
    await connection.write(rawRequest('POST', '/api/users/admin/apps', headers));
    for (const piece of await cut(body)) connection.socket.write(piece);
    const results = resultsOf(await connection.answer());
    expect(results).toMatchObject({ message: 'ümlaut 株', file_size: apk.length });
    connection.destroy();
  });

  it('accepts a chunked body without Content-Length', async () => {
    const { contentType, body } = multipart([file, { name: 'message', value: 'chunked' }]);
    const headers = {
      ...bearer(slipway.adminKey),
      'Content-Type': contentType,
      'Transfer-Encoding': 'chunked',
    };
    const connection = await openRaw(slipway.port);
    await connection.write(rawRequest('POST', '/api/users/admin/apps', headers, chunkedBody(body, 100)));
    expect(resultsOf(await connection.answer()).message).toBe('chunked');
    connection.destroy();
  });

  const refused: [string, RegExp, UploadOptions][] = [
    ['no file', /^file is required$/, { parts: [{ name: 'message', value: 'm' }] }],
    [
      'a file part that was left empty',
      /^file is required$/,
      { parts: [{ name: 'file', content: Buffer.alloc(0), fileName: '' }] },
    ],
    ['a file that is a field', /^file is not a file part$/, { parts: [{ name: 'file', value: 'app.apk' }] }],
    ['an empty file field', /^file is not a file part$/, { parts: [{ name: 'file', value: '' }] }],
    [
      'a file that is a long field',
      /^file is not a file part$/,
      { parts: [{ name: 'file', value: 'a'.repeat(2_000_000) }] },
    ],
    ['two files', /^file is given twice$/, { parts: [file, file] }],
    [
      'another value in the query',
      /^message is given twice with different values$/,
      { path: '/api/users/admin/apps?message=one', parts: [{ name: 'message', value: 'two' }, file] },
    ],
    [
      'a field of the query twice',
      /^branch is given twice with different values$/,
      { path: '/api/users/admin/apps?branch=one&branch=two', parts: [file] },
    ],
    [
      'two simulator builds',
      /^ios_simulator_zip is given twice$/,
      { parts: [file, { ...file, name: 'ios_simulator_zip' }, { ...file, name: 'ios_simulator_zip' }] },
    ],
    [
      'a file and a field named file',
      /^file is (given twice|not a file part)$/,
      { parts: [file, { name: 'file', value: 'x' }] },
    ],
    [
      'a field named file and a file',
      /^file is (given twice|not a file part)$/,
      { parts: [{ name: 'file', value: 'x' }, file] },
    ],
    [
      'a field twice',
      /^message is given twice with different values$/,
      { parts: [{ name: 'message', value: 'a' }, { name: 'message', value: 'b' }, file] },
    ],
    [
      'a field twice around the file',
      /^distribution_name is given twice with different values$/,
      { parts: [{ name: 'distribution_name', value: 'a' }, file, { name: 'distribution_name', value: 'b' }] },
    ],
    [
      'a simulator field that is no file',
      /^ios_simulator_zip is not a file part$/,
      { parts: [file, { name: 'ios_simulator_zip', value: 'sim.zip' }] },
    ],
    ['a part without a name', /./, { parts: [file, { raw: 'Content-Disposition: form-data\r\n\r\nx' }] }],
    [
      'a part without a blank line behind its headers',
      /./,
      { parts: [file, { raw: 'Content-Disposition: form-data; name="message"\r\nhello' }] },
    ],
    [
      'a name of 255 and one characters',
      /^distribution_name can have at most 255 characters$/,
      { fields: { distribution_name: 'n'.repeat(256) } },
    ],
    [
      'a name past the cap of a field',
      /^distribution_name/,
      { fields: { distribution_name: 'n'.repeat(1_100_000) } },
    ],
    [
      'a distribution_key that is too long',
      /^distribution_key/,
      { fields: { distribution_key: 'k'.repeat(256) } },
    ],
    [
      'a label that is too long',
      /^label can have at most 255 characters$/,
      { fields: { label: 'n'.repeat(256) } },
    ],
    ['a build_url that is no address', /^build_url/, { fields: { build_url: 'javascript:alert(1)' } }],
    ['a zero in the message', /^message/, { fields: { message: 'a\0b' } }],
    ['a zero in the name of the page', /^distribution_name/, { fields: { distribution_name: 'a\0b' } }],
    ['a zero in the key of the page', /./, { fields: { distribution_key: 'a\0b' } }],
    ['a zero in the branch', /^branch/, { fields: { branch: 'a\0b' } }],
    [
      'more than 100 parts',
      /at most 100 parts/,
      { parts: [file, ...Array.from({ length: 101 }, (_, at) => ({ name: `f${at}`, value: '' }))] },
    ],
    ['no parts', /no parts/, { parts: [] }],
    [
      'another boundary',
      /malformed|boundary/,
      { form: { contentType: 'multipart/form-data; boundary=another' } },
    ],
    ['an empty boundary', /malformed|boundary/, { form: { contentType: 'multipart/form-data; boundary=' } }],
    [
      'an empty quoted boundary',
      /malformed|boundary/,
      { form: { contentType: 'multipart/form-data; boundary=""' } },
    ],
    ['no boundary', /boundary/, { form: { contentType: 'multipart/form-data' } }],
    ['no boundary but a semicolon', /boundary/, { form: { contentType: 'multipart/form-data;' } }],
    ['line feeds alone', /./, { form: { lineBreak: '\n' } }],
    ['no closing delimiter', /malformed|too early/, { form: { closed: false } }],
    [
      'multipart/mixed',
      /multipart\/form-data/,
      { form: { contentType: 'multipart/mixed; boundary=slipway-test-boundary' } },
    ],
    [
      'multipart/form-data-x',
      /multipart\/form-data/,
      { form: { contentType: 'multipart/form-data-x; boundary=slipway-test-boundary' } },
    ],
    ['JSON', /multipart\/form-data/, { form: { contentType: 'application/json' } }],
    ['urlencoded', /multipart\/form-data/, { form: { contentType: 'application/x-www-form-urlencoded' } }],
    ['text', /multipart\/form-data/, { form: { contentType: 'text/plain' } }],
    ['a file as the body', /multipart\/form-data/, { form: { contentType: 'application/octet-stream' } }],
    ['a content type that is none', /multipart\/form-data/, { form: { contentType: '///' } }],
  ];
  it.each(refused)('refuses %s and stores nothing', async (_name, message, request) => {
    const refusal = refusalOf(await leavesNothing(slipway, () => upload(slipway, request)), 400);
    expect(refusal.message).toMatch(message);
  });

  it('refuses a request without a content type, with and without a body', async () => {
    await leavesNothing(slipway, async () => {
      for (const body of ['', 'file=app.apk']) {
        const request = { method: 'POST', headers: bearer(slipway.adminKey), body };
        refusalOf(await send(slipway.port, '/api/users/admin/apps', request), 400);
      }
    });
  });

  const { body: whole } = multipart([file, { name: 'message', value: 'm' }]);
  it.each([
    0,
    1,
    10,
    40,
    90,
    130,
    180,
    400,
    whole.length - 60,
    whole.length - 30,
    whole.length - 8,
    whole.length - 3,
  ])('refuses a body that ends after %i bytes, with or without a declared length', async (length) => {
    const part = whole.subarray(0, length);
    const contentType = 'multipart/form-data; boundary=slipway-test-boundary';
    const headers = { ...bearer(slipway.adminKey), 'Content-Type': contentType };
    const path = '/api/users/admin/apps';
    const isWhole = part.toString('latin1').endsWith('--slipway-test-boundary--');
    await leavesNothing(slipway, async () => {
      const cut = await send(slipway.port, path, { method: 'POST', headers, body: part });
      if (!isWhole) refusalOf(cut, 400);
      const connection = await openRaw(slipway.port);
      await connection.write(rawRequest('POST', path, { ...headers, 'Content-Length': whole.length }, part));
      connection.socket.end();
      await connection.closed;
      await expect.poll(async () => (await slipway.leftBehind()).spool).toEqual([]);
    });
  });

  it('refuses a part whose header is 10 MB long, in bounded memory and without losing the connection', async () => {
    const refusal = await leavesNothing(slipway, () =>
      upload(slipway, {
        parts: [{ raw: `Content-Disposition: form-data; name="${'n'.repeat(10_000_000)}"\r\n\r\nx` }, file],
      }),
    );
    expect([400, 413]).toContain(refusal.status);
    refusalOf(refusal, refusal.status);
  });

  it('never drops a known part because of a long header', async () => {
    const padded = `X-Padding: ${'p'.repeat(20_000)}\r\nContent-Disposition: form-data; name="message"\r\n\r\nkept`;
    const answer = await upload(slipway, { parts: [file, { raw: padded }] });
    if (answer.status === 200) expect(resultsOf(answer).message).toBe('kept');
    else refusalOf(answer, 400);
  });

  const named = 'Content-Disposition: form-data; name="message"\r\n';
  it.each([
    ['a long line', `X-Padding: ${'p'.repeat(20_000)}\r\n`],
    ['many lines', 'X-Padding: p\r\n'.repeat(40)],
    ['a line that is no header', 'no header\r\n'],
    ['a line with a bare line break', 'X-Padding: a\nb\r\n'],
  ])('never ignores the encoding of a part behind %s', async (_name, before) => {
    const raw = `${named}${before}Content-Transfer-Encoding: base64\r\n\r\nQUJD`;
    expect(refusalOf(await upload(slipway, { parts: [{ raw }, file] }), 400).message).toBe(
      'a part of the form has invalid headers',
    );
  });

  it.each([
    ['folded lines', 'X-Padding: a\r\n b\r\n\tc\r\n'],
    ['thirty lines', 'X-Padding: p\r\n'.repeat(30)],
  ])('reads the encoding of a part behind %s', async (_name, before) => {
    const raw = `${named}${before}Content-Transfer-Encoding: base64\r\n\r\nQUJD`;
    expect((await uploaded(slipway, { parts: [{ raw }, file] })).message).toBe('ABC');
  });
});

describe('identifiers of an upload', () => {
  const tags = ['branch', 'commit', 'label'] as const;
  const lastBuild = async () => {
    const address = '/api/v1/apps/admin/android/com.example.test/builds?limit=1';
    const answer = await send(slipway.port, address, { headers: bearer(slipway.adminKey) });
    return JSON.parse(answer.text).data[0];
  };

  it('have no surrounding blanks, as secrets of CI services have, and are composed', async () => {
    const name = 'release/ümlaut';
    const { distribution } = await uploaded(slipway, { fields: { distribution_name: name } });
    const sent = ` ${name.normalize('NFD')}\r\n`;
    const fields = {
      distribution_name: sent,
      branch: sent,
      commit: sent,
      label: sent,
      build_url: 'https://ci.example/1\n',
    };
    expect((await uploaded(slipway, { fields })).distribution?.url).toBe(distribution?.url);
    expect(await lastBuild()).toMatchObject({
      branch: name,
      commit: name,
      label: name,
      build_url: 'https://ci.example/1',
    });
    const owner = await send(slipway.port, '/api/users/admin%0A/apps', {
      method: 'POST',
      headers: { ...bearer(`${slipway.adminKey} `), 'Content-Type': multipart([file]).contentType },
      body: multipart([file]).body,
    });
    expect(owner.status).toBe(200);
    const token = { name: 'token', value: `${slipway.adminKey}\n` };
    expect((await upload(slipway, { key: null, parts: [token, file] })).status).toBe(200);
  });

  it('may be the URL of the page in place of its key, on this server only', async () => {
    const { distribution } = await uploaded(slipway, { fields: { distribution_name: 'by URL' } });
    const { url = '', access_key: key = '' } = distribution ?? {};
    for (const given of [
      `${key}\n`,
      key.toUpperCase(),
      url,
      `${url}/`,
      `${url}?from=mail#top`,
      ` ${url}/3\n`,
    ]) {
      const results = await uploaded(slipway, { fields: { distribution_key: given } });
      expect(results.distribution?.url).toBe(url);
    }
    const elsewhere = url.replace(/^http:\/\/[^/]+/, 'https://elsewhere.example');
    for (const given of [elsewhere, `${url.split('/distributions')[0]}/users/${key}`, `${key}0`])
      refusalOf(await upload(slipway, { fields: { distribution_key: given } }), 404);
  });

  it.each([
    ['a zero-width space', 'main\u200b', 'U+200B'],
    ['an override of the direction', 'main\u202egnp', 'U+202E'],
    ['an isolate', 'a\u2066b', 'U+2066'],
    ['a soft hyphen', 'ma\u00adin', 'U+00AD'],
    ['a variation selector', 'main\ufe0f', 'U+FE0F'],
    ['a joiner between Latin letters', 'ma\u200din', 'U+200D'],
    ['a tag', 'main\u{e0041}', 'U+E0041'],
    ['a Hangul filler', 'main\u3164x', 'U+3164'],
    ['what stands for lost bytes', 'gr\ufffdn', 'U+FFFD'],
    ['braille without dots', '\u2800', 'U+2800'],
    ['a line break', 'a\nb', 'U+000A'],
  ])('are refused with %s', async (_name, value, character) => {
    for (const name of [...tags, 'distribution_name'])
      expect(refusalOf(await upload(slipway, { fields: { [name]: value } }), 400).message).toBe(
        `${name} contains the invisible character ${character}: remove it`,
      );
  });

  it('replace spaces that look like plain ones', async () => {
    const titles = ['release 1', 'release\u00a01', 'release\u202f1', 'release\u20051'].map(
      async (name) => (await uploaded(slipway, { fields: { distribution_name: name } })).distribution?.title,
    );
    expect(new Set(await Promise.all(titles))).toEqual(new Set(['release 1']));
  });

  it.each(['👩🏽‍💻 main', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️ 1️⃣', 'می‌خواهم', 'क्‍ष', '葛󠄀城', 'a  b', '기능'])('keep %s', async (name) => {
    const { distribution } = await uploaded(slipway, { fields: { distribution_name: name, label: name } });
    expect(distribution?.title).toBe(name.normalize());
  });
});

describe('texts of an upload', () => {
  it('have the documented limits', () => {
    const docs = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    const [, short = '', long = ''] =
      /^\| `distribution_name`, ([^;|]+); ([^|]+) \| 255; 2,048 characters \|$/m.exec(
        docs('configuration.md'),
      ) ?? [];
    for (const { name, maxCharacters } of Object.values(buildFields)) {
      expect(maxCharacters === 255 ? short : long).toContain(`\`${name}\``);
      expect(docs('uploading.md')).toContain(`\`${name}\``);
    }
  });

  const limit = 32_766;
  it('keep a message of exactly 32,766 bytes without a warning', async () => {
    const message = `${'株'.repeat(10_921)}abc`;
    expect(Buffer.byteLength(message)).toBe(limit);
    const results = await uploaded(slipway, { fields: { message } });
    expect(results.message).toBe(message);
    expect(results.warnings.filter((warning) => /message/.test(warning))).toEqual([]);
  });

  it.each([
    ['one byte', 'a'.repeat(limit + 1), 'a'.repeat(limit)],
    ['three bytes', `a${'株'.repeat(11_000)}`, `a${'株'.repeat(10_921)}`],
    ['four bytes', `abc${'😀'.repeat(9_000)}`, `abc${'😀'.repeat(8_190)}`],
    ['two bytes', `a${'ü'.repeat(17_000)}`, `a${'ü'.repeat(16_382)}`],
    ['more than the cap of a field', '株'.repeat(400_000), '株'.repeat(10_922)],
  ])('truncate a message of characters of %s on a boundary, with a warning', async (_name, message, kept) => {
    const results = await uploaded(slipway, { fields: { message, distribution_name: 'cut' } });
    expect(results.message === kept).toBe(true);
    expect(results.distribution?.release_note === kept).toBe(true);
    expect(results.warnings).toContain('message was longer than 32766 bytes and was cut.');
  });

  it('truncate a release note, too', async () => {
    const fields = { release_note: 'r'.repeat(limit + 5), message: 'short', distribution_name: 'cut' };
    const results = await uploaded(slipway, { fields });
    expect(results.distribution?.release_note).toBe('r'.repeat(limit));
    expect(results.message).toBe('short');
    expect(results.warnings.filter((warning) => /release_note was longer/.test(warning))).toHaveLength(1);
  });

  it('count characters, not bytes, in the name of a page: 255 are accepted', async () => {
    for (const name of ['n'.repeat(255), '株'.repeat(255), '😀'.repeat(255)]) {
      const { distribution } = await uploaded(slipway, { fields: { distribution_name: name } });
      expect(distribution?.title).toBe(name);
    }
    refusalOf(await upload(slipway, { fields: { distribution_name: '😀'.repeat(256) } }), 400);
  });

  it.each([
    ['no charset', undefined, Buffer.from('grün 株 😀')],
    ['UTF-8', 'text/plain; charset=UTF-8', Buffer.from('grün 株 😀')],
    ['a quoted charset', 'text/plain; charset="utf-8"', Buffer.from('grün 株 😀')],
    ['ASCII, which it exceeds', 'text/plain; charset=US-ASCII', Buffer.from('grün 株 😀')],
    ['UTF-16', 'text/plain; charset=utf-16le', Buffer.from('grün 株 😀', 'utf16le')],
    [
      'UTF-16 of its byte order',
      'text/plain; charset=utf-16',
      Buffer.from('\ufeffgrün 株 😀', 'utf16le').swap16(),
    ],
  ])('are read with %s', async (_name, contentType, value) => {
    const parts = [file, { name: 'message', value, contentType }];
    expect((await uploaded(slipway, { parts })).message).toBe('grün 株 😀');
  });

  const legacy: [charset: string, text: string, bytes: Buffer][] = [
    ['ISO-8859-1', 'größe', Buffer.from('größe', 'latin1')],
    ['windows-1252', '“größe”', Buffer.from([0x93, 0x67, 0x72, 0xf6, 0xdf, 0x65, 0x94])],
    ['Shift_JIS', '機能', Buffer.from([0x8b, 0x40, 0x94, 0x5c])],
    ['EUC-KR', '기능', Buffer.from([0xb1, 0xe2, 0xb4, 0xc9])],
    ['gb18030', '功能', Buffer.from([0xb9, 0xa6, 0xc4, 0xdc])],
  ];
  it.each(legacy)(
    'are read in %s, stated by the part or by the field _charset_',
    async (charset, text, bytes) => {
      const contentType = `text/plain; charset=${charset}`;
      const parts = ['message', 'distribution_name', 'branch'].map((name) => ({
        name,
        value: bytes,
        contentType,
      }));
      const stated = await uploaded(slipway, { parts: [file, ...parts] });
      expect([stated.message, stated.distribution?.title]).toEqual([text, text]);
      const unstated = parts.map(({ name, value }) => ({ name, value }));
      const named = [{ name: '_charset_', value: charset }, ...unstated, file];
      const byField = await uploaded(slipway, { parts: named });
      expect([byField.message, byField.distribution?.url]).toEqual([text, stated.distribution?.url]);
      const late = await leavesNothing(slipway, () =>
        upload(slipway, {
          parts: [file, { name: 'branch', value: 'grün' }, { name: '_charset_', value: charset }],
        }),
      );
      expect(refusalOf(late, 400).message).toMatch(/^the form field _charset_ must come before/);
    },
  );

  const invalid: [string, Buffer, string?][] = [
    ['Latin-1 bytes without a charset', Buffer.from('größe', 'latin1')],
    ['a surrogate in UTF-8', Buffer.from([0xed, 0xa0, 0xbd])],
    ['half a character', Buffer.from([0x61, 0xe6, 0xa0])],
    ['Latin-1 bytes in another charset', Buffer.from([0xff, 0xff]), 'text/plain; charset=Shift_JIS'],
    ['half a surrogate pair in UTF-16', Buffer.from('a\ud83d', 'utf16le'), 'text/plain; charset=utf-16le'],
    ['an unknown charset', Buffer.from('main'), 'text/plain; charset=no-such-thing'],
  ];
  it.each(invalid)('are refused by the name of their field: %s', async (_name, value, contentType) => {
    const names = [
      'message',
      'release_note',
      'distribution_name',
      'distribution_key',
      'branch',
      'commit',
      'label',
    ];
    for (const name of [...names, 'build_url', 'disable_notify']) {
      const field = { name, value, ...(contentType ? { contentType } : {}) };
      const answer = await leavesNothing(slipway, () => upload(slipway, { parts: [file, field] }));
      expect(refusalOf(answer, 400).message).toMatch(
        new RegExp(`^the form field ${name} is (not|in an unknown)`),
      );
    }
    const unknown = { name: 'env_ci', value, ...(contentType ? { contentType } : {}) };
    await uploaded(slipway, { parts: [file, unknown] });
  });

  const encodedPart = (name: string, encoding: string, value: string, fileName = '') => ({
    raw: `Content-Disposition: form-data; name="${name}"${fileName}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${value}`,
  });
  it('are decoded from base64, and refused in another Content-Transfer-Encoding', async () => {
    const value = Buffer.from('grün 株').toString('base64');
    const { message } = await uploaded(slipway, {
      parts: [file, encodedPart('message', 'Base64', `${value.slice(0, 4)}\r\n${value.slice(4)}`)],
    });
    expect(message).toBe('grün 株');
    for (const encoding of ['7bit', '8bit', 'binary'])
      expect(
        (await uploaded(slipway, { parts: [file, encodedPart('message', encoding, 'a=3D')] })).message,
      ).toBe('a=3D');
    const refusedParts = [
      encodedPart('message', 'quoted-printable', 'gr=C3=BCn'),
      encodedPart('message', 'base64', 'not base64!'),
      encodedPart('message', 'x-uuencode', 'x'),
      encodedPart('file', 'base64', apk.toString('base64'), '; filename="app.apk"'),
    ];
    for (const part of refusedParts) {
      const parts = part === refusedParts.at(-1) ? [part] : [file, part];
      const answer = await leavesNothing(slipway, () => upload(slipway, { parts }));
      expect(refusalOf(answer, 400).message).toMatch(
        /^the form field (message|file) has the Content-Transfer-Encoding/,
      );
    }
  });

  it('are cut between characters of their charset', async () => {
    const value = Buffer.alloc(1_100_001, Buffer.from([0x8b, 0x40]));
    const parts = [file, { name: 'message', value, contentType: 'text/plain; charset=Shift_JIS' }];
    expect((await uploaded(slipway, { parts })).message).toBe('機'.repeat(Math.floor(limit / 3)));
  });

  it('include the text of a field sent as a file', async () => {
    const parts = [file, { name: 'message', content: Buffer.from('from a file'), fileName: 'notes.txt' }];
    expect((await uploaded(slipway, { parts })).message).toBe('from a file');
  });

  it('keep line breaks and spaces', async () => {
    const message = '  first\r\nsecond\n\tthird  ';
    expect((await uploaded(slipway, { fields: { message } })).message).toBe(message);
  });

  it.each<[string, MultipartOptions, boolean]>([
    ['of one blank', { padding: ' ' }, true],
    ['of blanks and tabs', { padding: ' \t \t' }, true],
    ['of 10,000 blanks', { padding: ' '.repeat(10_000) }, true],
    ['behind a preamble', { padding: '  ', preamble: 'This is multipart.\r\n', epilogue: 'The end.' }, true],
    ['of something else', { padding: ' x ' }, false],
    ['of a letter', { padding: 'x' }, false],
    ['of more than headers may have', { padding: ' '.repeat(20_000) }, false],
  ])('accept spaces after delimiters %s, however the body is split', async (_name, form, taken) => {
    const parts = [{ name: 'message', value: 'm' }, file, { name: 'branch', value: ' b ' }];
    const { contentType, body } = multipart(parts, form);
    const headers = { ...bearer(slipway.adminKey), 'Content-Type': contentType };
    for (const size of [body.length, 7, 1024]) {
      const connection = await openRaw(slipway.port);
      const all = { ...headers, 'Content-Length': body.length };
      await connection.write(rawRequest('POST', '/api/users/admin/apps', all));
      for (let at = 0; at < body.length; at += size) connection.socket.write(body.subarray(at, at + size));
      const answer = await connection.answer();
      if (taken) expect(resultsOf(answer)).toMatchObject({ message: 'm', file_size: apk.length });
      else refusalOf(answer, 400);
      connection.destroy();
    }
  });

  it.each(['true', 'TRUE', 'yes', 'Yes', '1', 'on', ' ON\t', ' true '])(
    'treat disable_notify %s as on',
    async (value) => {
      await uploaded(slipway, { fields: { disable_notify: value } });
    },
  );

  it.each([
    '/api/users/admin/apps',
    '/api/users/admin/platforms/android/apps',
    '/api/v1/owners/admin/builds',
  ])('may be in the query of %s, and an equal or empty field in the form', async (path) => {
    const query = new URLSearchParams({
      message: 'grüße & more',
      distribution_name: 'from query',
      label: 'n1',
    });
    const parts = [
      { name: 'message', value: 'grüße & more' },
      { name: 'label', value: '' },
      { name: 'release_note', value: 'In the form' },
      ...uploadParts({}),
    ];
    const answer = await upload(slipway, { path: `${path}?${query}`, parts });
    expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
    const { build, page, results } = JSON.parse(answer.text);
    expect((build ?? results).message).toBe('grüße & more');
    expect(page?.name ?? results.distribution.title).toBe('from query');
    expect(page?.release_note ?? results.distribution.release_note).toBe('In the form');
    refusalOf(await upload(slipway, { path: '/api/users/admin/apps?distribution_key=missing' }), 404);
  });

  it('include the fields that distinguish builds', async () => {
    const fields = {
      branch: 'feature/x',
      commit: '9f31c2a',
      build_url: 'https://ci.example.com/1',
      label: 'PR 4',
    };
    const results = await uploaded(slipway, { fields });
    const page = await fetch(`${slipway.origin}${results.path}?key=${results.secret}`);
    const html = await page.text();
    for (const text of ['feature/x', '9f31c2a', 'PR 4']) expect(html).toContain(text);
  });
});
