import { describe, expect, it } from 'vitest';
import { createFormTokens } from '../../src/accounts/authorization/form-token-http.ts';
import { createEmailChangeTokens } from '../../src/accounts/profile/email-change-token.ts';
import { createKnownBrowsers } from '../../src/accounts/sign-in/known-browser-http.ts';
import { createFileTokens } from '../../src/apps/files/file-token.ts';
import { createSigner, type ServerSecret } from '../../src/core/signature.ts';
import { browserTokenFormat, createTokenCodec } from '../../src/core/signed-token.ts';
import { createDeviceTokens, deviceStepLifetimeMs } from '../../src/distributions/access/device-tokens.ts';
import {
  createPasscodeTokens,
  passcodeTokenLifetimeMs,
} from '../../src/distributions/access/passcode-token.ts';
import { createInstallTokens } from '../../src/distributions/install/install-token.ts';
import { createUnsubscribeTokens } from '../../src/mail/pages/unsubscribe-token.ts';
import { createProbeTokens } from '../../src/operations/doctor/doctor-probe.ts';

const secret = 's'.repeat(64);
const now = Date.UTC(2026, 10, 21, 9, 40);
const minuteMs = 60_000;
const userId = '01hf7yat00mina000000000000';
const appId = '01hf7yat00app0000000000000';
const buildId = '01hf7yat00build00000000000';
const app = { secret: 'a'.repeat(40), secretRotations: 0 };
const page = {
  id: '01hf7yat00page000000000000',
  accessKey: 'k'.repeat(40),
  access: 'passcode',
  passcodeHash: 'scrypt$hash',
} as const;
const members = { ...page, access: 'members', passcodeHash: null } as const;
const account = { id: userId, stamp: 'argon$hash' };

interface IssuedToken {
  token: string;
  /** The result of reading it; null if it is refused. */
  read(secret: ServerSecret, now: number, token: string): unknown;
  payload: unknown;
  /** Epoch milliseconds; null for none. */
  expiresAt: number | null;
}

const fileToken = (
  purpose: 'file' | 'icon' | 'simulator',
  token: string,
  expiresAt: number | null,
  changes = {},
): IssuedToken => ({
  token,
  payload: 'valid',
  expiresAt,
  read: (by, at, given) => {
    const kind = createFileTokens({ secret: by, now: () => at }).check(
      purpose,
      { ...app, ...changes },
      buildId,
      given,
    );
    return kind === 'valid' ? kind : null;
  },
});
const browserToken = (purpose: string, token: string, values: string[]): IssuedToken => ({
  token,
  payload: { values, expiresAt: now + 10 * minuteMs },
  expiresAt: now + 10 * minuteMs,
  read: (by, at, given) =>
    createTokenCodec(by, purpose, browserTokenFormat).read(given, at, 'slipway_second_step'),
});
/** Masked with ones, so that the last characters differ from those of the changed tokens in more than their unused bits. */
const masked = (token: string) =>
  Buffer.concat([Buffer.alloc(32, 1), Buffer.from(token, 'base64url').map((byte) => byte ^ 1)]);
const formToken = (sessionToken: string | null, token: string): IssuedToken => ({
  token: masked(token).toString('base64url'),
  payload: 'valid',
  expiresAt: null,
  read: (by, _at, given) => {
    const request = { cookies: { slipway_form: 'YnJvd3NlciBvZiBhIGZvcm' } } as never;
    const forms = createFormTokens({ secret: by, originOf: () => 'http://127.0.0.1' });
    try {
      forms.check(request, sessionToken, given);
      return 'valid';
    } catch {
      return null;
    }
  },
});
const lastHour = Date.UTC(2026, 10, 22, 10);
const endOfStep = now + deviceStepLifetimeMs;
const endOfVisit = now + 60 * minuteMs;
const passwordSignature = 'kGUABRVaqXzhgAze8n2o0W1REhXtG3p2calZFfA4N9o';

/** Tokens stay valid across versions: they exist in emails, on devices and in files. */
const issuedTokens: Record<string, IssuedToken> = {
  'file of an upload': fileToken('file', 'NxCrDb4d22LvBJidIHpCT_w4yFbqnFnVg3qeCe4z_FA', null),
  'file of an upload after a rotation': fileToken(
    'file',
    '8lfQH0NsuESFco8lJ9YboRoJBitZ1n_AOYEzojE5K1s',
    null,
    { secretRotations: 1 },
  ),
  'icon on a page': fileToken('icon', 'aosy.06jinFflqxgUY8crBEGU_hj-lalyM8ktAhPuJ7OOkNg', lastHour),
  'simulator build on a page': fileToken(
    'simulator',
    'aosy.mYFbWWYOl0w5Pgy-Da1AFB7GlJjed137QiLrwIqqg1E',
    lastHour,
  ),
  'changed email': {
    token:
      'WyIwMWhmN3lhdDAwbWluYTAwMDAwMDAwMDAwMCIsIm1pbmFAZXhhbXBsZS5jb20iLCJtaW5hQGV4YW1wbGUub3JnIiwxNzk1MjU0MDYwMDAwXQ.1Xnx1WUkm5OMQbSv54c8jBDqh8DCVcEqKYJumO6Nm1I',
    read: (by, at, given) => createEmailChangeTokens(by).read(given, at),
    payload: { userId, from: 'mina@example.com', to: 'mina@example.org', expiresAt: now + minuteMs },
    expiresAt: now + minuteMs,
  },
  'first email': {
    token:
      'WyIwMWhmN3lhdDAwbWluYTAwMDAwMDAwMDAwMCIsbnVsbCwibcOtbmFAZXhhbXBsZS5vcmciLDE3OTUyNTQwNjAwMDBd.KReOY2OqGMmj0dOtwYGpAYKYZTeDzZZ8hn3_F4l9LUs',
    read: (by, at, given) => createEmailChangeTokens(by).read(given, at),
    payload: { userId, from: null, to: 'mína@example.org', expiresAt: now + minuteMs },
    expiresAt: now + minuteMs,
  },
  unsubscribe: {
    token: `${userId}.${appId}.TAgllaEZgSUQ0gxNWsQp_mFFnSnrAoLW7PUWQMt4wT4`,
    read: (by, _at, given) => createUnsubscribeTokens(by).readExpired(given),
    payload: { userId, subjectId: appId },
    expiresAt: null,
  },
  passcode: {
    token: 'mx07ymio.BYr4H30TNM4svpMLDVmK9TrB1FkkZsa41HMe7-1QWLA',
    read: (by, at, given) => createPasscodeTokens(by).read(given, at, page),
    payload: { expiresAt: now + passcodeTokenLifetimeMs },
    expiresAt: now + passcodeTokenLifetimeMs,
  },
  'file of an install': {
    token: 'mwqa0tmo.dmlzaXQtbnVtYmVy.I6uAiKwGs88dT8By-nxg5xDfSqx2vD-WdR9xYUQ5_d8',
    read: (by, at, given) => createInstallTokens(by).read(given, at, { purpose: 'file', page, app, buildId }),
    payload: { number: 'dmlzaXQtbnVtYmVy', expiresAt: endOfVisit },
    expiresAt: endOfVisit,
  },
  'manifest for members': {
    token: 'mwqa0tmo.dmlzaXQtbnVtYmVy.UF6ktgRUWm9hl4aTOyZ5MGSsB36cIrPaaGUN0ZI3W20',
    read: (by, at, given) =>
      createInstallTokens(by).read(given, at, { purpose: 'manifest', page: members, app, buildId }),
    payload: { number: 'dmlzaXQtbnVtYmVy', expiresAt: endOfVisit },
    expiresAt: endOfVisit,
  },
  'challenge of a device': {
    token: `${appId}-${userId}.mwq8eyao.KySpzZJFNCNOBtQ659CpfkRncnIV_cj1RHlVFUZraXs`,
    read: (by, at, given) => createDeviceTokens(by).challenge.read(given, at, page),
    payload: { browser: appId, userId, expiresAt: endOfStep },
    expiresAt: endOfStep,
  },
  'anonymous challenge of a device': {
    token: `${appId}-.mwq8eyao.2kxQYmtuo_4JzOZrLvdFOJzh2qGvWC6S5EnKvSto-Wg`,
    read: (by, at, given) => createDeviceTokens(by).challenge.read(given, at, page),
    payload: { browser: appId, userId: null, expiresAt: endOfStep },
    expiresAt: endOfStep,
  },
  'outcome for a device': {
    token: `${buildId}.mwq8eyao.1NjcctjrltUvj_ULZ9eYU_LrZ5p-2Q9XuMc5WN3KpVo`,
    read: (by, at, given) => createDeviceTokens(by).outcome.read(given, at, page),
    payload: { deviceId: buildId, expiresAt: endOfStep },
    expiresAt: endOfStep,
  },
  'browser of a device': {
    token: `${appId}..WuF9SHFXVHZm3aERhr17I3pjHpy8s0-N_zTrErYEz1c`,
    read: (by, _at, given) => createDeviceTokens(by).browser.readExpired(given),
    payload: { browser: appId },
    expiresAt: null,
  },
  'probe of the doctor': {
    token: '1795254000000.4Gd-ySg1V7ivfHzpqmY-vA.Kdb7vPbsuHapQY4NWPbCqcbdmuITWaurCYFr8GWvZh8',
    read: (by, at, given) => createProbeTokens(by).prove('reach', given, at) && 'proved',
    payload: 'proved',
    expiresAt: now + minuteMs + 1,
  },
  'second step': browserToken(
    'second step',
    'WzE3OTUyNTQ2MDAwMDAsIjAxaGY3eWF0MDBtaW5hMDAwMDAwMDAwMDAwIiwia0dVQUJSVmFxWHpoZ0F6ZThuMm8wVzFSRWhYdEczcDJjYWxaRmZBNE45byJd.T4nnZmW64QpnbzCHTxXArfD6l9QJ4ToppLyjNdrB0K8',
    [userId, passwordSignature],
  ),
  passkey: browserToken(
    'passkey',
    'WzE3OTUyNTQ2MDAwMDAsIlkyaGhiR3hsYm1kbCIsIjAxaGY3eWF0MDBtaW5hMDAwMDAwMDAwMDAwIl0.vgULk50tQGWpbZymdXbYwflA3BPF7eREGCBBrwVDI9Y',
    ['Y2hhbGxlbmdl', userId],
  ),
  'new passkey': browserToken(
    'new passkey',
    'WzE3OTUyNTQ2MDAwMDAsIlkyaGhiR3hsYm1kbCIsIjAxaGY3eWF0MDBtaW5hMDAwMDAwMDAwMDAwIl0.5tc40-b8eIXDC3XjOhpoQ0EsbgQg9BS8lTfTgbwbybI',
    ['Y2hhbGxlbmdl', userId],
  ),
  'known browser': {
    token:
      'WzE4MjY3OTAwMDAwMDAsIm5VR0hPaEhOdkZwNkc5Qk4iLCIwMWhmN3lhdDAwbWluYTAwMDAwMDAwMDAwMDp1QXItODlMVlpNM1lEdzZ2Il0.Uf7PdSETLoHV4ptf-MluclEvjT7NJLQrKzNijZhYalM',
    read: (by, at, given) => {
      const cookies = { slipway_known_browser: given };
      const client = { origin: 'http://127.0.0.1', address: '127.0.0.1', cookies } as never;
      return createKnownBrowsers({ secret: by, now: () => at }).isKnown(client, account) || null;
    },
    payload: true,
    expiresAt: now + 365 * 24 * 60 * minuteMs,
  },
  'form in a session': formToken('session token', 'U0bC7l91lQTIIBIU_9sRA-5FJaV8pXCXbvWc_w37YCs'),
  'form in a browser': formToken(null, '9Rcgy2jW0j-TybX321eNYddlKPUC1F14phMWyIq8ZJk'),
};

describe.each(Object.entries(issuedTokens))('the issued token “%s”', (_name, issued) => {
  const { token, payload, expiresAt } = issued;

  it('is valid under its secret, even when that is the previous one', () => {
    expect(issued.read(secret, now, token)).toEqual(payload);
    expect(issued.read({ current: 'c'.repeat(64), previous: secret }, now, token)).toEqual(payload);
    expect(issued.read('c'.repeat(64), now, token)).toBeNull();
  });

  it('is valid until it expires', () => {
    const last = expiresAt === null ? now + 10 ** 12 : expiresAt - 1;
    expect(issued.read(secret, last, token)).toEqual(payload);
    if (expiresAt !== null) expect(issued.read(secret, expiresAt, token)).toBeNull();
  });

  it('is refused once any character differs', () => {
    for (const [index, character] of [...token].entries()) {
      const changed = `${token.slice(0, index)}${character === 'x' ? 'y' : 'x'}${token.slice(index + 1)}`;
      expect(issued.read(secret, now, changed)).toBeNull();
    }
    for (const text of ['', '.', `.${token}`, `${token}.`, `${token}=`, ` ${token}`, token.repeat(200)])
      expect(issued.read(secret, now, text)).toBeNull();
  });
});

it('a doctor probe has the same proof in every version', () => {
  const { prove } = createProbeTokens(secret);
  expect(prove('reach', issuedTokens['probe of the doctor']?.token, now)).toBe(
    'k2j910hS1clVOeJSJ48vAnqwRoSwiBljVUww5QXAbcg',
  );
});

it('the password signature of a second step is the same in every version', () => {
  expect(createSigner(secret, 'password of a second step').verify('argon$hash', passwordSignature)).toBe(
    true,
  );
});

/** Pairs that one reader accepts, because they differ only in their fields. */
const sameKind = [
  ['changed email', 'first email'],
  ['challenge of a device', 'anonymous challenge of a device'],
];

it('no token is accepted as another kind', () => {
  for (const [name, { read }] of Object.entries(issuedTokens)) {
    for (const [other, { token }] of Object.entries(issuedTokens)) {
      const isSame = name === other || sameKind.some((pair) => pair.includes(name) && pair.includes(other));
      if (!isSame) expect(read(secret, now, token), `${other} as ${name}`).toBeNull();
    }
  }
});
