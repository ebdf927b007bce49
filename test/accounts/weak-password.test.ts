/** Refusal of easily guessed passwords, wherever one is chosen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountTexts } from '../../src/accounts/account-texts.ts';
import {
  checkPassword,
  hashPassword,
  newPassword,
  passwordMatches,
} from '../../src/accounts/passwords/password.ts';
import { commonPasswordHashes, isEasyPassword } from '../../src/accounts/passwords/weak-password.ts';
import { readConfig } from '../../src/config.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { readElements } from '../web/elements.ts';

describe('passwords', () => {
  it('are compared with more than three thousand common ones', () => {
    expect(commonPasswordHashes.size).toBe(3480);
    for (const hash of commonPasswordHashes) expect(hash).toMatch(/^[\w-]{8}$/);
    // The first, the last and some from the middle of the list, which is sorted by frequency.
    for (const common of [
      'qwertyuiop',
      '1234567890',
      '1q2w3e4r5t',
      'password123',
      'xboxlive2212',
      'administrator',
    ])
      expect([common, isEasyPassword(common, [])]).toEqual([common, true]);
  });

  it.each(['QWERTYUIOP', 'Password123', 'ｐａｓｓｗｏｒｄ１２３'])(
    'are refused in any spelling of a common one: %s',
    (submitted) => {
      expect(isEasyPassword(submitted, [])).toBe(true);
    },
  );

  it.each([
    'slipway2026!',
    'mina-mina-mina',
    'MinaSlipway1',
    'mina.k@example.com',
    'Example-2026',
    'mina.k.2026',
    'mina-2026-x',
  ])('are refused if similar to the names of the account, its address or Slipway: %s', (submitted) => {
    expect(isEasyPassword(submitted, ['mina', 'Mina.K@example.com'])).toBe(true);
  });

  it('are otherwise unrestricted: letters only, with spaces, in any script, up to the maximum length', () => {
    for (const good of [
      'seven grey gulls',
      'correct horse battery',
      'slipway of grey gulls',
      'abcxyzabcx',
      'möwen über möwen',
      '七羽の灰色のかもめが飛ぶ',
      'x'.repeat(256),
    ])
      expect(checkPassword(good, ['mina', 'mina@example.com', '', null, 'ab'])).toBe(good);
    for (let made = 0; made < 50; made++) expect(isEasyPassword(newPassword(), ['ab', 'mina'])).toBe(false);
  });

  it('are refused in the settings of the first administrator, without being printed', () => {
    for (const password of ['password123', 'chief-2026']) {
      const settings = { SLIPWAY_ADMIN_NAME: 'chief', SLIPWAY_ADMIN_PASSWORD: password };
      expect(() => readConfig(settings)).toThrow(
        /SLIPWAY_ADMIN_PASSWORD: This password is too easy to guess/,
      );
      expect(() => readConfig(settings)).not.toThrow(password);
    }
  });
});

describe('a stored password', () => {
  it('is argon2id with 19 MiB, two passes and a salt, and only matches as entered', async () => {
    const kept = await hashPassword('Seven grey gulls');
    expect(kept).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await hashPassword('Seven grey gulls')).not.toBe(kept);
    for (const other of ['seven grey gulls', 'Seven grey gulls ', 'Seven grey gull', 'Seven  grey gulls'])
      expect([other, await passwordMatches(kept, other)]).toEqual([other, false]);
    expect(await passwordMatches(kept, 'Seven grey gulls')).toBe(true);
  });
});

describe('a form for a new password', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina'], { settings: { SLIPWAY_SIGN_UP: 'open' } });
  });
  afterAll(() => slipway.close());

  it('hides the input, and lets password managers fill it in', async () => {
    const mina = await slipway.browser('mina');
    const pages = [await slipway.stranger.get('/sign-in'), await mina.get('/settings/password')];
    const fields = pages.flatMap(({ text }) =>
      readElements(text).filter(({ attributes }) =>
        /^(password|current|again)$/.test(attributes.get('name') ?? ''),
      ),
    );
    expect(fields.map(({ attributes }) => [attributes.get('type'), attributes.get('autocomplete')])).toEqual([
      ['password', 'current-password'],
      ['password', 'current-password'],
      ['password', 'new-password'],
      ['password', 'new-password'],
    ]);
    expect(fields.some(({ attributes }) => attributes.has('onpaste') || attributes.has('readonly'))).toBe(
      false,
    );
  });

  it('reports an easy password, and changes nothing', async () => {
    const mina = await slipway.browser('mina');
    await slipway.stranger.post('/forgot-password', { login: 'mina' });
    const reset = await slipway.linkInEmail('mina@example.com');
    for (const easy of ['1q2w3e4r5t', 'mina-2026-x']) {
      const chosen = { password: easy, again: easy };
      const refused = [
        await mina.submit('/settings/password', 'password', { current: 'correct horse battery', ...chosen }),
        await slipway.stranger.post(reset, chosen),
        await slipway.stranger.submit('/sign-up', 'sign-up', { name: 'mina-2026', email: '', ...chosen }),
      ];
      for (const answer of refused) {
        expect([answer.status, answer.text.includes(accountTexts.password.easy)]).toEqual([400, true]);
        expect(answer.text).not.toContain(easy);
      }
    }
    expect((await mina.get('/settings')).status).toBe(200);
    expect(await slipway.data.owners.findOwner('mina-2026')).toBeNull();
  });
});
