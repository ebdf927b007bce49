import { expect, test } from 'vitest';
import { toConnectionError } from '../../src/commands/uploader/connection-error.ts';
import type { UploadResponse } from '../../src/commands/uploader/upload-file.ts';
import { readUploadResponse } from '../../src/commands/uploader/upload-response.ts';
import { errorBody, uploadedBody } from '../support/receive-upload.ts';

const base = new URL('https://apps.example.com/');

function read(status: number, body: unknown, more: Partial<UploadResponse> = {}, baseUrl = base) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readUploadResponse(
    { status, statusText: '', location: null, retryAfter: null, text, ...more },
    baseUrl,
  );
}

function fieldErrorOf(action: () => unknown): { message: string; hint: string | null; json?: unknown } {
  try {
    action();
  } catch (error) {
    return error as { message: string; hint: string | null };
  }
  throw new Error('no fault');
}

test('a success shows what was uploaded and the page address', () => {
  expect(read(200, uploadedBody())).toMatchObject({
    summary: 'Demo 1.2.3 (45) for Android as revision 7',
    pageUrl: 'https://apps.example.com/users/acme/apps/com.example.demo',
    warnings: [],
  });
});

test('the distribution page is listed first, and a base path is kept', () => {
  const distribution = { url: 'https://cdn.example.com/distributions/abc' };
  expect(read(200, uploadedBody({ distribution })).pageUrl).toBe('https://cdn.example.com/distributions/abc');
  expect(read(200, uploadedBody(), {}, new URL('https://example.com/apps/')).pageUrl).toBe(
    'https://example.com/apps/users/acme/apps/com.example.demo',
  );
});

test('a result with few fields is still a success', () => {
  const body = {
    error: false,
    results: { package_name: 'com.example.demo', revision: 1, version_name: null },
  };
  expect(read(200, body)).toMatchObject({ summary: 'com.example.demo as revision 1', pageUrl: null });
});

test('addresses and texts from a server are only displayed', () => {
  const distribution = { url: 'javascript:alert(1)' };
  expect(read(200, uploadedBody({ distribution, path: 'x:/y' })).pageUrl).toBeNull();
  expect(read(200, uploadedBody({ path: '//elsewhere.example.com/' })).pageUrl).toBe(
    'https://apps.example.com//elsewhere.example.com/',
  );
  expect(read(200, uploadedBody({ name: 'a\x1b]0;b\x07', warnings: ['c\x1b[2J', 5] }))).toMatchObject({
    summary: 'a ]0;b 1.2.3 (45) for Android as revision 7',
    warnings: ['c [2J'],
  });
});

test.each([
  [401, errorBody('you are not authenticated'), 'you are not authenticated (401)', /SLIPWAY_API_KEY/],
  [403, errorBody('application create error: permit'), 'application create error: permit (403)', null],
  [404, errorBody('distribution page is not found'), 'distribution page is not found (404)', null],
  [
    404,
    '<h1>Not Found</h1>',
    'https://apps.example.com answered 404, not as a Slipway server: Not Found',
    /--server/,
  ],
  [
    413,
    '<html><head><title>413</title></head><body><center><h1>413 Request Entity Too Large</h1></center></body></html>',
    'https://apps.example.com answered 413, not as a Slipway server: 413 Request Entity Too Large',
    /client_max_body_size/,
  ],
  [413, errorBody('too large'), 'too large (413)', null],
  [
    502,
    'Bad\x1b[2J\n gateway',
    'https://apps.example.com answered 502, not as a Slipway server: Bad [2J gateway',
    /proxy/,
  ],
  [200, '', 'https://apps.example.com answered 200, with an empty body', null],
  [
    200,
    '{"error":false}',
    'https://apps.example.com answered 200, not as a Slipway server: {"error":false}',
    null,
  ],
  [
    201,
    uploadedBody(),
    'https://apps.example.com answered 201, not as a Slipway server: {"error":false',
    null,
  ],
  [200, '[1]', 'https://apps.example.com answered 200, not as a Slipway server: [1]', null],
])('the response %i with %j is reported: %s', (status, body, words, hint) => {
  const fault = fieldErrorOf(() => read(status, body));
  expect(fault.message.startsWith(words)).toBe(true);
  if (hint) expect(fault.hint).toMatch(hint);
  else expect(fault.hint).toBeNull();
});

test('an error shows only the beginning of a long page', () => {
  const fault = fieldErrorOf(() => read(500, `<p>${'long '.repeat(100_000)}`));
  expect(fault.message.length).toBeLessThan(220);
});

test('a redirect is reported with the address to use if it is known', () => {
  const at = (location: string | null) => fieldErrorOf(() => read(308, '', { location }));
  expect(at('https://new.example.com/api/users/acme/apps')).toMatchObject({
    message:
      'The server redirects to https://new.example.com/api/users/acme/apps (308); uploads do not follow redirects.',
    hint: 'Use --server https://new.example.com',
  });
  expect(at('https://login.example.com/').hint).toContain('--server or SLIPWAY_URL');
  expect(at(null).message).toContain('The server redirects (308)');
});

test.each([
  ['ECONNREFUSED', 'Nothing is listening at https://apps.example.com.', true],
  ['ENOTFOUND', 'There is no host named apps.example.com.', false],
  ['EAI_AGAIN', 'The name apps.example.com could not be resolved.', true],
  ['EHOSTUNREACH', 'https://apps.example.com cannot be reached (EHOSTUNREACH).', true],
  ['ECONNRESET', 'The connection to https://apps.example.com broke at the start.', true],
  ['CERT_HAS_EXPIRED', 'https://apps.example.com cannot be trusted: its certificate has expired.', false],
  ['EPROTO', 'https://apps.example.com does not speak TLS.', false],
  [
    'HPE_INVALID_CONSTANT',
    'The server at https://apps.example.com does not speak HTTP (HPE_INVALID_CONSTANT).',
    false,
  ],
  ['EWHATEVER', 'The upload to https://apps.example.com failed: odd', false],
])('the error %s is explained', (code, message, isTransient) => {
  expect(toConnectionError(Object.assign(new Error('odd'), { code }), base, null)).toMatchObject({
    message,
    isTransient,
  });
});
