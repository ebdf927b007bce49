/** A real OpenID Connect provider on the loopback address; people sign in by name alone. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import Provider, { type Context } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

/** Claims of a user besides `sub`, which is the login. */
type Claims = Record<string, string | boolean | readonly string[]>;

export interface OidcServer {
  issuer: string;
  /** Settings for a service that uses this provider. */
  settings: Record<string, string>;
  people: Map<string, Claims>;
  /** Sets the permitted redirect addresses. */
  allow(...redirectUris: string[]): void;
  /** Cuts every connection until called with false. */
  cut(down: boolean): void;
  close(): Promise<void>;
}

const clientId = 'slipway';

export async function startOidcServer(): Promise<OidcServer> {
  const people = new Map<string, Claims>();
  const clientSecret = randomBytes(24).toString('base64url');
  const keys = newKeys();
  let provider: Provider | null = null;
  let down = false;
  const server = createServer((request, response) => {
    if (down || !provider) request.socket.destroy();
    else if (request.url?.startsWith('/interaction/')) void answerLogin(provider, request, response);
    else void provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    people,
    settings: {
      SLIPWAY_OIDC_ISSUER: issuer,
      SLIPWAY_OIDC_CLIENT_ID: clientId,
      SLIPWAY_OIDC_CLIENT_SECRET: clientSecret,
      SLIPWAY_OIDC_NAME: 'Example',
    },
    allow: (...redirectUris) => {
      const client = { client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris };
      provider = new Provider(issuer, { ...configurationOf(people, keys), clients: [client] });
    },
    cut: (isDown) => {
      down = isDown;
      if (down) server.closeAllConnections();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function newKeys() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'first' };
  return { jwks: { keys: [key] }, cookies: { keys: [randomBytes(16).toString('hex')] } };
}

const lifetimeSeconds = 600;

function configurationOf(people: ReadonlyMap<string, Claims>, keys: ReturnType<typeof newKeys>) {
  return {
    ...keys,
    // Set explicitly to avoid a warning.
    adapter: createMemoryAdapter(0),
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'name'],
      groups: ['groups'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: {
      AccessToken: lifetimeSeconds,
      AuthorizationCode: lifetimeSeconds,
      IdToken: lifetimeSeconds,
      Interaction: lifetimeSeconds,
      Session: lifetimeSeconds,
      Grant: lifetimeSeconds,
    },
    findAccount: async (_context: Context, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people.get(id) }),
    }),
    // Skips the consent page.
    loadExistingGrant: async ({ oidc }: Context) => {
      const { clientId: id } = oidc.client;
      const grant = new oidc.provider.Grant({ clientId: id, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  };
}

const loginPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Example</title><body>
<form method="post"><label for="login">Login at Example</label><input id="login" name="login">
<button name="act" value="sign-in">Sign in at Example</button> <button name="act" value="cancel">Cancel</button>
</form></body></html>`;

async function answerLogin(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  if (request.method !== 'POST') {
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(loginPage);
    return;
  }
  const form = new URLSearchParams(await readText(request));
  const result =
    form.get('act') === 'cancel'
      ? { error: 'access_denied', error_description: 'the person said no' }
      : { login: { accountId: form.get('login') ?? '' } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** Follows an authorization address until the provider redirects back, and returns that address. */
export async function signInAtProvider(address: string, login: string | null): Promise<string> {
  const { origin } = new URL(address);
  const cookies = new Map<string, string>();
  const fields = { act: login === null ? 'cancel' : 'sign-in', login: login ?? '' };
  let next = address;
  for (let step = 0; step < 10; step++) {
    const posts = next.includes('/interaction/');
    const answer = await fetch(next, {
      method: posts ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(posts ? { body: new URLSearchParams(fields) } : {}),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (!location) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    next = new URL(location, next).href;
    if (!next.startsWith(`${origin}/`)) return next;
  }
  throw new Error('the provider leads nowhere');
}
