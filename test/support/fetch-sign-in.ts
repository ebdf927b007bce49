/** Signs in with the form by `fetch`, for servers in separate processes. Does not follow the redirect. Returns the page when it has no form. */
export async function fetchSignIn(origin: string, login: string, password: string): Promise<Response> {
  const page = await fetch(`${origin}/sign-in`);
  if (page.status !== 200) return page;
  const [cookie = ''] = page.headers.getSetCookie().map((one) => one.split(';', 1)[0] ?? '');
  const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  const body = new URLSearchParams({ csrf, login, password });
  return fetch(`${origin}/sign-in`, { method: 'POST', headers: { cookie }, body, redirect: 'manual' });
}

/** The session cookie of such a response. */
export function fetchedSessionCookie(answer: Response): string | undefined {
  return answer.headers
    .getSetCookie()
    .find((one) => one.includes('slipway_session='))
    ?.split(';', 1)[0];
}
