/** A browser without a browser: signs in with the form and sends the cookie from then on. */
import { type Answer, type RequestOptions, send } from './http-client.ts';
import { type TestService, testPassword } from './test-service.ts';

export function postForm(
  slipway: Pick<TestService, 'port'>,
  path: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(slipway.port, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

export interface BrowserSession {
  /** As the header `Cookie` carries it. */
  cookie: string;
  get(address: string, options?: RequestOptions): Promise<Answer>;
}

export async function signIn(
  slipway: Pick<TestService, 'port'>,
  login: string,
  password = testPassword,
): Promise<BrowserSession> {
  const answer = await postForm(slipway, '/sign-in', { login, password });
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0];
  if (answer.status !== 303 || !cookie) throw new Error(`${login} was not signed in: ${answer.status}`);
  return {
    cookie,
    get: (address, options = {}) => {
      const path = address.startsWith('http') ? address.slice(new URL(address).origin.length) : address;
      const headers = { Accept: 'text/html', Cookie: cookie, ...options.headers };
      return send(slipway.port, path, { ...options, headers });
    },
  };
}
