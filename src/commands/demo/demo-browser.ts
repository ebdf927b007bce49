/** Requests to the installation while it is being filled: from browsers, phones and CI. */
import { findForm } from './html-forms.ts';

export interface DemoServer {
  /** The address that it listens on. */
  address: string;
  /** The public origin that it is configured with. */
  publicOrigin: string;
}

export interface DemoRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: BodyInit | null;
}

export interface DemoResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends one request as if it came through the reverse proxy of the installation. */
export async function send(
  server: DemoServer,
  pathOrUrl: string,
  { from, method = 'GET', headers = {}, body = null }: DemoRequest & { from: string },
): Promise<DemoResponse> {
  const path = pathOrUrl.startsWith(server.publicOrigin)
    ? pathOrUrl.slice(server.publicOrigin.length)
    : pathOrUrl;
  const response = await fetch(`${server.address}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'text/html',
      'x-forwarded-for': from,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': new URL(server.publicOrigin).host,
      ...headers,
    },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export interface DemoBrowser {
  get(path: string): Promise<DemoResponse>;
  /**
   * Opens the page, fills in the form whose action ends with `ending` and submits it. A field that is an array has several
   * values. Throws unless the server accepts the form.
   */
  submit(
    page: string,
    ending: string,
    fields?: Record<string, string | readonly string[]>,
  ): Promise<DemoResponse>;
}

interface BrowserSpec {
  from: string;
  /** Password of a signed-in person: accepted wherever a form requires re-authentication. */
  password?: string;
  userAgent?: string | undefined;
}

/** A browser that keeps its cookies. */
export function createBrowser(server: DemoServer, { from, password, userAgent }: BrowserSpec): DemoBrowser {
  const cookies = new Map<string, string>();
  const request = async (path: string, init: DemoRequest = {}) => {
    const response = await send(server, path, {
      ...init,
      from,
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'user-agent': userAgent ?? computer,
        ...init.headers,
      },
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  return {
    get: (path) => request(path),
    submit: async (page, ending, fields = {}) => {
      const opened = await request(page);
      const form = findForm(opened.text, ending);
      const unknown = Object.keys(fields).find((name) => !form.names.has(name));
      if (unknown !== undefined) throw new Error(`the form ${form.action} has no field ${unknown}`);
      const body = form.isMultipart ? new FormData() : new URLSearchParams();
      for (const [name, value] of form.fields) if (!Object.hasOwn(fields, name)) body.append(name, value);
      for (const [name, value] of Object.entries(fields))
        for (const one of typeof value === 'string' ? [value] : value) body.append(name, one);
      if (password !== undefined && !form.isMultipart) body.set('proof', password);
      const headers = { origin: server.publicOrigin };
      const response = await request(form.action, { method: 'POST', headers, body });
      if (response.status !== 303 && response.status !== 200)
        throw new Error(`the form ${form.action} was refused with ${response.status}`);
      return response;
    },
  };
}

/** Signs in with the form. */
export async function signIn(
  server: DemoServer,
  login: string,
  spec: BrowserSpec & { password: string },
): Promise<DemoBrowser> {
  const browser = createBrowser(server, spec);
  const { status } = await browser.submit('/sign-in', '/sign-in', { login, password: spec.password });
  if (status !== 303) throw new Error(`${login} could not sign in`);
  return browser;
}

const computer =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
