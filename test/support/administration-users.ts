/** Signed-in users who post forms, by name. */
import { type BrowserSession, postForm, signIn } from './browser-session.ts';
import type { Answer } from './http-client.ts';
import { postedForms } from './page-forms.ts';
import type { TestService } from './test-service.ts';

/** Several values repeat the field. */
type PostedFields = Record<string, string | readonly string[]>;

export interface SignedInPeople {
  get(name: string, address: string): Promise<Answer>;
  /** Posts with the form token of that user's session. */
  post(name: string, address: string, fields: PostedFields): Promise<Answer>;
  /** Posts the fields unchanged. */
  postAsIs(name: string, address: string, fields: PostedFields | string): Promise<Answer>;
  tokenOf(name: string): Promise<string>;
  idOf(name: string): Promise<string>;
}

/** Creates users that do not exist yet; `admin` does. */
export async function signInPeople(slipway: TestService, names: readonly string[]): Promise<SignedInPeople> {
  const browsers = new Map<string, BrowserSession>();
  for (const name of names) {
    if (name !== 'admin') await slipway.user(name);
    browsers.set(name, await signIn(slipway, name));
  }
  const as = (name: string) => {
    const browser = browsers.get(name);
    if (!browser) throw new Error(`${name} is not signed in`);
    return browser;
  };
  const tokens = new Map<string, Promise<string>>();
  const readToken = async (name: string) =>
    postedForms((await as(name).get('/nothing')).text)[0]?.fields.csrf ?? '';
  const tokenOf = (name: string) => {
    const token = tokens.get(name) ?? readToken(name);
    tokens.set(name, token);
    return token;
  };
  const postAsIs = (name: string, address: string, fields: PostedFields | string) =>
    postForm(slipway, address, fields, { Cookie: as(name).cookie });
  return {
    get: (name, address) => as(name).get(address),
    post: async (name, address, fields) => postAsIs(name, address, { csrf: await tokenOf(name), ...fields }),
    postAsIs,
    tokenOf,
    idOf: async (name) => (await slipway.data.owners.findOwner(name))?.id ?? '',
  };
}
