/** The composed service with signed-in users, for tests of accounts. Mail is kept in memory. */

import { securityTexts } from '../../src/accounts/second-factor/security-texts.ts';
import { createMemoryMailer, type MemoryMailer } from '../../src/mail/memory-mailer.ts';
import { type BrowserSession, postForm, sessionCookieOf, signIn } from './browser-session.ts';
import { type Answer, send } from './http-client.ts';
import { mailSettings, settleOutbox } from './mail-service.ts';
import { formOf, postedForms } from './page-forms.ts';
import type { DialectName } from './test-database.ts';
import { startTestService, type TestService } from './test-service.ts';

export interface AccountsService extends TestService {
  /** A clock that tests advance. */
  clock: { now: number };
  mailer: MemoryMailer;
  /** Signs in with the default test password unless another one is given. */
  browser(name: string, password?: string): Promise<Browser>;
  /** A signed-out browser. */
  stranger: Browser;
  /**
   * Returns the path of the link in the only email since the last call; throws if there is another number of emails.
   * Notifications do not count.
   */
  linkInEmail(to: string): Promise<string>;
  /** Sends queued emails and returns how many there were since the last call, not counting notifications. */
  letters(): Promise<number>;
}

export interface Browser {
  cookie: string;
  get(path: string): Promise<Answer>;
  /** Opens the page, fills in the form of the action `act`, and submits it. */
  submit(page: string, act: string, fields?: Record<string, string>): Promise<Answer>;
  /** Posts fields that need not be on any page. */
  post(path: string, fields: Record<string, string>): Promise<Answer>;
  /** The form token of the session when it is first asked for; empty without a session. */
  csrf(): Promise<string>;
}

/** `names`: users to create, in lower case. */
export async function startAccountsService(
  dialect: DialectName,
  names: readonly string[],
  options: { mail?: boolean; settings?: Record<string, string> } = {},
): Promise<AccountsService> {
  const clock = { now: Date.UTC(2026, 10, 21, 9, 40) };
  const mailer = createMemoryMailer();
  const slipway = await startTestService({
    dialect,
    blobs: 'memory',
    now: () => clock.now,
    mailer,
    settings: { ...(options.mail === false ? {} : mailSettings), ...options.settings },
  });
  for (const name of names) await slipway.user(name);
  let read = 0;
  const fresh = async () => {
    await settleOutbox(slipway);
    const letters = mailer.sent.slice(read).filter(({ text }) => !isNotice(text));
    read = mailer.sent.length;
    return letters;
  };
  return {
    ...slipway,
    clock,
    mailer,
    browser: async (name, password) => browserOf(slipway, await signIn(slipway, name, password)),
    stranger: browserOf(slipway, { cookie: '' }),
    letters: async () => (await fresh()).length,
    linkInEmail: async (to) => {
      const letters = await fresh();
      const [letter] = letters;
      if (!letter || letters.length > 1 || letter.to.address !== to)
        throw new Error(`not one letter to ${to}, but to ${letters.map((one) => one.to.address).join()}`);
      const link = /https:\/\/apps\.example\.com(\/\S+)/.exec(letter.text)?.[1];
      if (!link || !letter.html.includes(link)) throw new Error('the letter has no link');
      return link;
    },
  };
}

const isNotice = (text: string) => text.includes(securityTexts.emails.reason({ host: 'apps.example.com' }));

/** A browser with the cookie set by a response. */
export function browserAfter(slipway: TestService, answer: Answer): Browser {
  const cookie = sessionCookieOf(answer);
  if (!cookie) throw new Error(`nobody was signed in: ${answer.status}`);
  return browserOf(slipway, { cookie });
}

/** Where a page leads that continues by itself. Throws for another page. */
export function leadsTo({ status, headers, text }: Answer): string {
  const [, address] = /^0; url=(.+)$/.exec(String(headers.refresh)) ?? [];
  if (status !== 200 || address === undefined) throw new Error(`not sent on: ${status} ${text}`);
  return address;
}

/** A browser with the given `Cookie` header. */
export function browserWith(slipway: TestService, cookie: string): Browser {
  return browserOf(slipway, { cookie });
}

function browserOf(slipway: TestService, { cookie }: Pick<BrowserSession, 'cookie'>): Browser {
  const headers: Record<string, string> = cookie === '' ? {} : { Cookie: cookie };
  let csrf: Promise<string> | undefined;
  const readToken = async () => postedForms((await browser.get('/nothing')).text)[0]?.fields.csrf ?? '';
  const browser: Browser = {
    cookie,
    get: (path) => send(slipway.port, path, { headers: { ...headers, Accept: 'text/html' } }),
    post: (path, fields) => postForm(slipway, path, fields, headers),
    submit: async (page, act, fields = {}) => {
      const form = formOf((await browser.get(page)).text, act);
      const { csrf = '', ...submitted } = form.fields;
      // A signed-out browser keeps no cookie and gets a new token with each form.
      const token: Record<string, string> = cookie === '' ? {} : { csrf };
      return browser.post(form.action, { ...submitted, ...token, ...fields });
    },
    csrf: () => {
      csrf ??= readToken();
      return csrf;
    },
  };
  return browser;
}
