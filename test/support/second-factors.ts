/** Users with second factors: an authenticator app on a phone, and a browser that signs in. */
import { totpCode } from '../../src/accounts/second-factor/totp.ts';
import type { AccountsService, Browser } from './accounts-service.ts';
import { postForm } from './browser-session.ts';
import { type Answer, send } from './http-client.ts';
import { formOf } from './page-forms.ts';
import { testPassword } from './test-service.ts';

export const securityPage = '/settings/security';
const appPage = '/settings/security/app';
const stepMs = 30_000;

export interface PhoneApp {
  /** The current code, or one that many steps later. */
  code(later?: number): string;
  /** Shown once. */
  recoveryCodes: string[];
}

/** Sets up an authenticator app as a user would, without JavaScript. */
export async function setUpApp(
  slipway: Pick<AccountsService, 'clock'>,
  browser: Browser,
  { page = appPage } = {},
): Promise<PhoneApp> {
  const shown = await browser.get(page);
  const app = readApp(slipway, shown.text);
  const form = formOf(shown.text, 'enable');
  const done = await browser.post(form.action, { ...form.fields, code: app.code() });
  if (done.status !== 200) throw new Error(`no app was set up: ${done.status}`);
  return { ...app, recoveryCodes: recoveryCodesOn(done.text) };
}

/** Reads the secret of the QR code from the link next to it. */
export function readApp(slipway: Pick<AccountsService, 'clock'>, html: string): Pick<PhoneApp, 'code'> {
  const base32 = /otpauth:\/\/totp\/[^"]*?secret=([A-Z2-7]+)/.exec(html)?.[1];
  if (!base32) throw new Error('the page shows no secret');
  const secret = fromBase32(base32);
  return { code: (later = 0) => totpCode(secret, Math.floor(slipway.clock.now / stepMs) + later) };
}

export function recoveryCodesOn(html: string): string[] {
  // The link to a file repeats them.
  const shown = html.replace(/href="data:[^"]*"/g, '');
  return [...shown.matchAll(/\b[0-9a-z]{4}(?:-[0-9a-z]{4}){3}\b/g)].map(([code]) => code);
}

/** The authenticator options on the page that adds a passkey. */
export function passkeyOptionsOn(html: string) {
  const asked = /data-asked="([^"]*)"/.exec(html)?.[1];
  if (asked === undefined) throw new Error('the page asks for no passkey');
  return JSON.parse(asked.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

export interface SecondStepBrowser {
  /** The response to the password. */
  first: Answer;
  cookie: string;
  get(): Promise<Answer>;
  prove(form: 'code' | 'recovery', code: string): Promise<Answer>;
}

/** A browser after entering the correct password. */
export async function afterPassword(
  slipway: Pick<AccountsService, 'port'>,
  login: string,
  { password = testPassword, to }: { password?: string; to?: string } = {},
): Promise<SecondStepBrowser> {
  const first = await postForm(slipway, '/sign-in', { login, password, ...(to === undefined ? {} : { to }) });
  const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const headers = { Cookie: cookie, Accept: 'text/html' };
  const page = first.headers.location ?? '/sign-in/second-factor';
  return {
    first,
    cookie,
    get: () => send(slipway.port, page, { headers }),
    prove: (form, code) =>
      postForm(
        slipway,
        `/sign-in/second-factor/use-${form === 'code' ? 'code' : 'recovery-code'}${new URL(page, 'http://x').search}`,
        { code },
        headers,
        { anonymous: true },
      ),
  };
}

function fromBase32(text: string): Buffer {
  const bits = [...text]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
