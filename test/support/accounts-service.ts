/** The composed service with people who sign in, for tests of accounts; mail ends in a memory. */

import { securityTexts } from '../../src/accounts/second-factor/security-texts.ts';
import { createMemoryMailer, type MemoryMailer } from '../../src/mail/memory-mailer.ts';
import { type BrowserSession, postForm, sessionCookieOf, signIn } from './browser-session.ts';
import { type Answer, send } from './http-client.ts';
import { mailSettings, settleOutbox } from './mail-service.ts';
import { formOf, postedForms } from './page-forms.ts';
import type { DialectName } from './test-database.ts';
import { startTestService, type TestService } from './test-service.ts';

export interface AccountsService extends TestService {
  /** A clock that only tests turn. */
  clock: { now: number };
  mailer: MemoryMailer;
  /** Signed in with the password that tests use, unless another is given. */
  browser(name: string, password?: string): Promise<Browser>;
  /** A browser of nobody. */
  stranger: Browser;
  /**
   * The path behind the link of the only letter since the last call; throws when there is another number of them. Letters
   * that only tell of a change do not count.
   */
  linkInLetter(to: string): Promise<string>;
  /** Sends what waits, and answers how many letters there were since the last call, those aside that only tell of a change. */
  letters(): Promise<number>;
}

export interface Browser {
  cookie: string;
  get(path: string): Promise<Answer>;
  /** Opens the page, fills the form that asks for `act`, and sends it. */
  submit(page: string, act: string, fields?: Record<string, string>): Promise<Answer>;
  /** Sends fields that need not be on any page. */
  post(path: string, fields: Record<string, string>): Promise<Answer>;
  /** The token of the browser's forms; empty without a session. */
  csrf(): Promise<string>;
}

/** The names of people who are made, in lower case. */
export async function startAccountsService(
  dialect: DialectName,
  names: readonly string[],
  options: { mail?: boolean; settings?: Record<string, string> } = {},
): Promise<AccountsService> {
  const clock = { now: Date.UTC(2026, 10, 21, 9, 40) };
  const mailer = createMemoryMailer();
  const slipway = await startTestService({
    ...{ dialect, blobs: 'memory', now: () => clock.now, mailer },
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
    linkInLetter: async (to) => {
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

const isNotice = (text: string) => text.includes(securityTexts.letters.reason('apps.example.com'));

/** With the cookie that an answer has set. */
export function browserAfter(slipway: TestService, answer: Answer): Browser {
  const cookie = sessionCookieOf(answer);
  if (!cookie) throw new Error(`nobody was signed in: ${answer.status}`);
  return browserOf(slipway, { cookie });
}

/** With cookies as the header `Cookie` carries them. */
export function browserWith(slipway: TestService, cookie: string): Browser {
  return browserOf(slipway, { cookie });
}

function browserOf(slipway: TestService, { cookie }: Pick<BrowserSession, 'cookie'>): Browser {
  const headers: Record<string, string> = cookie === '' ? {} : { Cookie: cookie };
  const browser: Browser = {
    cookie,
    get: (path) => send(slipway.port, path, { headers: { ...headers, Accept: 'text/html' } }),
    post: (path, fields) => postForm(slipway, path, fields, headers),
    submit: async (page, act, fields = {}) => {
      const form = formOf((await browser.get(page)).text, act);
      const { csrf = '', ...typed } = form.fields;
      // A browser of nobody keeps no cookie, and gets a token of its own with each form.
      const token: Record<string, string> = cookie === '' ? {} : { csrf };
      return browser.post(form.action, { ...typed, ...token, ...fields });
    },
    csrf: async () => postedForms((await browser.get('/docs')).text)[0]?.fields.csrf ?? '',
  };
  return browser;
}
