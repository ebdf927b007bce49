/** Every parser of request data runs in time linear in the length of its input. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCredentials } from '../../src/accounts/authorization/credentials.ts';
import { readBrowserWords } from '../../src/accounts/sessions/user-agent-label.ts';
import { suggestUserName } from '../../src/accounts/single-sign-on/single-sign-on.ts';
import { readVisitor } from '../../src/core/visitor.ts';
import { isApiAddress, normalizeTarget } from '../../src/http/api-address.ts';
import { readNameCursor, readSearch } from '../../src/http/list-request.ts';
import { chooseCoding, contentCodings, isKnownEtag } from '../../src/http/sending/content-coding.ts';
import { contentDisposition } from '../../src/http/sending/send-blob.ts';
import { networkOf } from '../../src/limits/client-network.ts';
import { readMailFrom } from '../../src/mail/mail-config.ts';
import { checkEmail } from '../../src/owners/create-owners.ts';
import { checkName } from '../../src/owners/owner.ts';
import { readBuildLimit, readStorageLimit } from '../../src/owners/quota.ts';
import { readDays, readNewest } from '../../src/owners/retention/retention.ts';
import { markdownExcerpt, renderMarkdown } from '../../src/web/components/markdown.ts';
import { localPath, safeImage, safeLink } from '../../src/web/components/safe-address.ts';
import { readWebhookAddress } from '../../src/webhooks/webhook-address.ts';
import { openRaw, rawRequest } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const bytes = 15_800;
const budgetMs = 20;
/** Kernels count processor time in steps of up to this many milliseconds. */
const clockMs = 10;
/** Processor time of this thread: other processes of the machine do not count. */
const threadMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const units = [
  ...[
    ' ',
    '\t',
    ',',
    ' ,',
    ', ',
    ';',
    '; ',
    '"',
    '="',
    "'",
    'a',
    '0',
    '/',
    '//',
    '\\',
    '=',
    '%',
    '%20',
    '-',
    '.',
    '_',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '{',
    '}',
    '*',
    '**',
    '`',
    '!',
    '#',
    '&',
    '+',
    ':',
    '::',
    '@',
    '@a.',
    '~',
    '^',
    '|',
    '?',
  ],
  ...[
    'gzip;',
    'gzip;q=0.',
    'W/"',
    'bytes=',
    '0-',
    'Bearer ',
    'token ',
    'Version/1 ',
    'Android ',
    '(iPhone',
    '.0',
    '1.1.',
  ],
  ...[
    'http://',
    'a/',
    '../',
    '::ffff:',
    '%25',
    'a=b;',
    'a=b&',
    '[a](',
    '![',
    '<a ',
    '<!--',
    '> ',
    '- ',
    '1. ',
    'ä',
    '\u0301',
  ],
];
const patterns = {
  plain: (repeated: string) => repeated,
  begun: (repeated: string) => `a${repeated}`,
  rejected: (repeated: string) => `${repeated}!x`,
};
/** A text of about `length` characters. */
type HostileText = (length: number) => string;
const textsOf = (wanted: readonly (keyof typeof patterns)[]): HostileText[] =>
  units.flatMap((unit) =>
    wanted.map(
      (pattern) => (length: number) => patterns[pattern](unit.repeat(Math.ceil(length / unit.length))),
    ),
  );

/**
 * Whether a text of full length takes longer than `budgetMs`, and four times as long as eight texts of an eighth of its length. Where time
 * grows with the square, it takes eight times as long.
 */
async function takesTooLong(
  text: HostileText,
  budgetMs: number,
  run: (text: string) => Promise<void> | void,
): Promise<boolean> {
  const long = await fastestOf(text(bytes), budgetMs, run);
  if (long <= budgetMs) return false;
  const short = text(bytes / 8);
  const eight = await fastestOf(short, 0, async () => {
    for (let time = 0; time < 8; time++) await run(short);
  });
  return long > 4 * Math.max(eight, clockMs);
}

/** The fastest of three runs, to exclude other work on the machine; of one run, if that is within `enoughMs`. */
async function fastestOf(
  text: string,
  enoughMs: number,
  run: (text: string) => Promise<void> | void,
): Promise<number> {
  const times: number[] = [];
  while (times.length < 3 && !times.some((time) => time <= enoughMs)) {
    const startedAt = threadMs();
    await run(text);
    times.push(threadMs() - startedAt);
  }
  return Math.min(...times);
}

const parsers: Record<string, (text: string) => unknown> = {
  chooseCoding: (text) => chooseCoding(text, contentCodings),
  isKnownEtag: (text) => isKnownEtag(text, '"a"'),
  checkEmail,
  checkName: (text) => checkName('user', text),
  contentDisposition,
  isApiAddress,
  safeLink,
  localPath,
  markdownExcerpt: (text) => markdownExcerpt(text, 200),
  suggestUserName: (text) => suggestUserName([text]),
  networkOf,
  normalizeTarget,
  'normalizeTarget under /api': (text) => normalizeTarget(`/api${text}`),
  'normalizeTarget in absolute form': (text) => normalizeTarget(`http://${text}`),
  safeImage: (text) => safeImage(text, 'https://apps.example.com'),
  readBrowserWords,
  readBuildLimit,
  readCredentials: (text) => readCredentials({ authorization: text, tokens: text }, true),
  readDays,
  readWebhookAddress,
  readMailFrom,
  readNameCursor: (text) => readNameCursor({ after: text, before: text }),
  readNewest,
  readSearch,
  readStorageLimit,
  readVisitor: (text) => readVisitor({ userAgent: text, platformVersion: text }),
};

describe('parsers', () => {
  const hostile = textsOf(['plain', 'begun', 'rejected']);
  it.each(Object.entries(parsers))('run in linear time: %s', async (_name, parse) => {
    const slow: string[] = [];
    for (const text of hostile) {
      const tooLong = await takesTooLong(text, budgetMs, (given) => {
        try {
          parse(given);
        } catch {
          // Rejecting the input is fine, too.
        }
      });
      if (tooLong) slow.push(text(20));
    }
    expect(slow).toEqual([]);
  });

  it('run in linear time: renderMarkdown', async () => {
    const slow: string[] = [];
    for (const text of textsOf(['plain']))
      if (await takesTooLong(text, budgetMs, (given) => void renderMarkdown(given))) slow.push(text(20));
    expect(slow).toEqual([]);
  });
});

describe('requests', () => {
  let slipway: TestService;
  const paths: string[] = [];
  beforeAll(async () => {
    slipway = await startTestService({
      settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1', SLIPWAY_REQUESTS_PER_MINUTE: 'off' },
      limits: { wrongKeysPerHour: 1_000_000 },
    });
    const { file } = await uploaded(slipway);
    const { pathname, search } = new URL(file);
    paths.push(pathname + search, '/assets/slipway.css', '/sign-in', '/api/organizations');
  });
  afterAll(() => slipway.close());

  const hostile = textsOf(['plain', 'rejected']).filter((text) => /^[\x20-\x7e\t]*$/.test(text(1)));
  it.each([
    'Accept',
    'Accept-Encoding',
    'Accept-Language',
    'Authorization',
    'Content-Type',
    'Cookie',
    'Expect',
    'Host',
    'Idempotency-Key',
    'If-Modified-Since',
    'If-None-Match',
    'If-Range',
    'Origin',
    'Range',
    'Sec-CH-UA-Platform-Version',
    'Sec-Fetch-Site',
    'User-Agent',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Request-Id',
  ])('with a hostile %s header do not block other requests', (name) =>
    measure(paths, (path, text) => {
      const key = name === 'Authorization' ? {} : bearer(slipway.adminKey);
      return rawRequest('GET', path, { ...key, [name]: `a${text}a` });
    }),
  );

  it('with a long query do not block other requests', () =>
    measure(
      ['/sign-in?to=', '/users/admin?after=', '/users/admin?q=', '/api/organizations?token='],
      (path, text) => rawRequest('GET', `${path}${encodeURI(text).slice(0, 0.95 * text.length)}`, {}),
    ));

  it('with a long form do not block other requests', () =>
    measure(['login', 'password', 'csrf', 'to'], (field, text) => {
      const body = `x=1&${field}=${encodeURIComponent(text)}`;
      const headers = {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': Buffer.byteLength(body),
      };
      return rawRequest('POST', '/sign-in', headers, body);
    }));

  it('with a multipart form do not block other requests', () =>
    measure(['boundary', 'disposition', 'type', 'field'], (place, text) => {
      const put = (at: string, otherwise: string) =>
        at === place ? text.slice(0, 0.95 * text.length) : otherwise;
      const part = [
        '--b',
        `Content-Disposition: form-data; name="${put('disposition', 'message')}"`,
        `Content-Type: ${put('type', 'text/plain')}`,
        '',
        `${put('field', 'x')}`,
      ];
      const body = `${part.join('\r\n')}\r\n--b--\r\n`;
      const headers = {
        ...bearer(slipway.adminKey),
        'Content-Type': `multipart/form-data; boundary=${put('boundary', 'b')}`,
        'Content-Length': Buffer.byteLength(body),
      };
      return rawRequest('POST', '/api/users/admin/apps', headers, body);
    }));

  /** Sends each hostile text in each place, one request at a time. */
  async function measure(
    places: readonly string[],
    requestOf: (place: string, text: string) => Buffer,
  ): Promise<void> {
    const connection = await openRaw(slipway.port);
    const slow: unknown[] = [];
    for (const place of places) {
      for (const text of hostile) {
        const tooLong = await takesTooLong(text, 2 * budgetMs, async (given) => {
          await connection.write(requestOf(place, given));
          await connection.answer();
        });
        if (tooLong) slow.push([place, text(20)]);
      }
    }
    expect(slow).toEqual([]);
    connection.destroy();
  }
});
