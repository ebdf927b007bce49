/** The language of pages, errors and emails. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryMailer, type MemoryMailer } from '../../src/mail/memory-mailer.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { type Answer, send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { ipa, mailSettings, settleOutbox } from '../support/mail-service.ts';
import { formOf } from '../support/page-forms.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let slipway: TestService;
let mailer: MemoryMailer;
let page: string;

beforeAll(async () => {
  mailer = createMemoryMailer();
  slipway = await startTestService({ blobs: 'memory', mailer, settings: mailSettings });
  await slipway.user('mina');
  await slipway.project('harbour', { members: { mina: 'tester' } });
  const fields = { distribution_name: 'Beta', message: 'First' };
  const answer = await uploaded(slipway, { owner: 'harbour', file: ipa, fields });
  page = new URL(answer.distribution?.url ?? '').pathname;
  await settleOutbox(slipway);
});
afterAll(() => slipway.close());

const visit = (path: string, language?: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(slipway.port, path, {
    headers: {
      Accept: 'text/html',
      ...(language === undefined ? {} : { 'Accept-Language': language }),
      ...headers,
    },
  });

const ja = 'ja-JP,ja;q=0.9,en;q=0.8';

describe('pages', () => {
  it('have the language of the browser, and say so', async () => {
    const japanese = await visit(page, ja);
    expect(japanese.text).toContain('<html lang="ja">');
    expect(japanese.text).toContain('変更点');
    expect(japanese.text).not.toContain('What’s new');
    expect(japanese.headers['content-language']).toBe('ja');
    expect(japanese.headers.vary).toBe('Accept-Encoding, Accept-Language');
    const english = await visit(page);
    expect(english.text).toContain('<html lang="en-GB">');
    expect(english.headers['content-language']).toBe('en-GB');
    expect(english.text).toContain('What’s new');
  });

  it('are never stored where another visitor would get them', async () => {
    expect((await visit(page, ja)).headers['cache-control']).toBe('private, no-cache');
    for (const path of ['/sign-in', '/docs', '/nothing'])
      expect((await visit(path, ja)).headers['cache-control'], path).toMatch(/no-store/);
  });

  it('fall back to English for a malformed header', async () => {
    expect((await visit('/sign-in', 'ja;q=9')).text).toContain('<html lang="en-GB">');
    expect((await visit('/sign-in', `ja,${'x'.repeat(2000)}`)).text).toContain('<html lang="en-GB">');
  });

  it('show errors in the language, also after a form was sent', async () => {
    const missing = await visit('/nothing', ja);
    expect([missing.status, missing.headers['content-language']]).toEqual([404, 'ja']);
    expect(missing.text).toContain('ページが見つかりません');
    expect(missing.text).toContain('このアドレスには何もありません。');
    const failed = await postForm(
      slipway,
      '/sign-in',
      { login: 'mina', password: 'wrong' },
      { 'Accept-Language': ja },
    );
    expect(failed.text).toContain('<html lang="ja">');
    expect(failed.text).toContain('サインインできませんでした');
  });

  it('use the setting of the person instead, until it is automatic again', async () => {
    const mina = await signIn(slipway, 'mina');
    const choose = async (language: string) => {
      const form = formOf((await mina.get('/settings')).text, 'language/change').fields;
      return postForm(slipway, '/settings/language/change', { ...form, language }, { Cookie: mina.cookie });
    };
    expect((await choose('ja')).status).toBe(303);
    const settings = await mina.get('/settings?done=language', { headers: { 'Accept-Language': 'en' } });
    expect(settings.text).toContain('<html lang="ja">');
    expect(settings.text).toContain('言語を保存しました。');
    expect(settings.text).toMatch(/<option value="ja" lang="ja" selected>日本語/);
    expect((await mina.get('/nothing', { headers: { 'Accept-Language': 'en' } })).text).toContain(
      'lang="ja"',
    );
    expect((await choose('xx')).status).toBe(400);
    await choose('');
    expect((await mina.get('/settings', { headers: { 'Accept-Language': 'en' } })).text).toContain(
      '<html lang="en-GB">',
    );
    expect((await mina.get('/settings', { headers: { 'Accept-Language': ja } })).text).toContain('lang="ja"');
  });
});

describe('the API', () => {
  it.each(['/api/nothing', '/api/users/admin/apps'])(
    'answers %s in English whatever the client accepts',
    async (path) => {
      const plain = await visit(path, undefined, { Authorization: `Bearer ${slipway.adminKey}` });
      const japanese = await visit(path, ja, { Authorization: `Bearer ${slipway.adminKey}` });
      expect(japanese.text).toBe(plain.text);
      expect((await visit(path, ja)).text).toBe((await visit(path)).text);
    },
  );
});

describe('emails', () => {
  it('have the language of their recipient, not of the request that caused them', async () => {
    const mina = await slipway.data.owners.findOwner('mina');
    await slipway.data.accounts.setLanguage(mina?.id ?? '', 'ja');
    mailer.sent.length = 0;
    await uploaded(slipway, { owner: 'harbour', file: ipa });
    await settleOutbox(slipway);
    const [email] = mailer.sent.filter(({ to }) => to.address === 'mina@example.com');
    expect(email?.html).toContain('<html lang="ja"');
    expect(email?.text).toContain('インストール');
    await slipway.data.accounts.setLanguage(mina?.id ?? '', null);
    mailer.sent.length = 0;
    await postForm(slipway, '/forgot-password', { login: 'mina' }, { 'Accept-Language': ja });
    await settleOutbox(slipway);
    expect(mailer.sent.map(({ subject }) => subject)).toEqual(['Reset your Slipway password']);
  });
});

describe('an installation with SLIPWAY_LANGUAGE=ja', () => {
  it('is Japanese for people who ask for nothing else', async () => {
    const japanese = await startTestService({ blobs: 'memory', settings: { SLIPWAY_LANGUAGE: 'ja' } });
    const langOf = async (headers: Record<string, string>) =>
      (await send(japanese.port, '/sign-in', { headers: { Accept: 'text/html', ...headers } })).headers[
        'content-language'
      ];
    expect([await langOf({}), await langOf({ 'Accept-Language': 'fr' })]).toEqual(['ja', 'ja']);
    expect(await langOf({ 'Accept-Language': 'en' })).toBe('en-GB');
    const api = await send(japanese.port, '/api/nothing');
    expect(api.text).toContain('you are not authenticated');
    await japanese.close();
  });
});
