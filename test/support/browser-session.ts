/** A browser session over plain HTTP: signs in with the form and then sends the cookie. */
import { formBody } from './form-body.ts';
import { type Answer, type RequestOptions, send } from './http-client.ts';
import { type TestService, testPassword } from './test-service.ts';

/** Without a cookie, or with `anonymous`, posts as a signed-out browser with its own token. */
export async function postForm(
  slipway: Pick<TestService, 'port'>,
  path: string,
  fields: Record<string, string | readonly string[]> | string,
  { Cookie: kept, ...headers }: Record<string, string> = {},
  { anonymous = kept === undefined && headers.Authorization === undefined } = {},
): Promise<Answer> {
  const body = typeof fields === 'string' ? new URLSearchParams(fields) : formBody(fields);
  const isNobody = anonymous && !body.has('csrf');
  const { cookie, csrf } = isNobody ? await sharedForm(slipway) : { cookie: '', csrf: undefined };
  if (csrf !== undefined) body.set('csrf', csrf);
  const cookies = [kept, cookie].filter(Boolean).join('; ');
  return send(slipway.port, path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'text/html',
      ...(cookies === '' ? {} : { Cookie: cookies }),
      ...headers,
    },
    body: body.toString(),
  });
}

const sharedForms = new WeakMap<object, ReturnType<typeof anonymousForm>>();

/** The token of a browser does not expire: one visit is enough for all posts to a service. */
function sharedForm(slipway: Pick<TestService, 'port'>): ReturnType<typeof anonymousForm> {
  const form = sharedForms.get(slipway) ?? anonymousForm(slipway);
  sharedForms.set(slipway, form);
  return form;
}

/** The cookie and form token of a signed-out browser. */
export async function anonymousForm(
  slipway: Pick<TestService, 'port'>,
): Promise<{ cookie: string; csrf: string }> {
  const page = await send(slipway.port, '/sign-in', { headers: { Accept: 'text/html' } });
  const cookie = page.headers['set-cookie']?.find((one) => one.includes('slipway_form='))?.split(';')[0];
  return { cookie: cookie ?? '', csrf: /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '' };
}

export interface BrowserSession {
  /** Value of the `Cookie` header. */
  cookie: string;
  get(address: string, options?: RequestOptions): Promise<Answer>;
}

export async function signIn(
  slipway: Pick<TestService, 'port'>,
  login: string,
  password = testPassword,
): Promise<BrowserSession> {
  const answer = await postForm(slipway, '/sign-in', { login, password });
  const cookie = sessionCookieOf(answer);
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

/** The session cookie of a response, as the value of the `Cookie` header. */
export function sessionCookieOf(answer: Answer): string | undefined {
  return answer.headers['set-cookie']?.find((one) => one.includes('slipway_session='))?.split(';')[0];
}
