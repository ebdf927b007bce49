/** A provider with responses defined by the test: tokens of anyone, signed by anyone, or no tokens. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostileProvider {
  issuer: string;
  settings: Record<string, string>;
  /** The response of the token endpoint. */
  token: (made: TestTokens) => { status?: number; body: unknown };
  /** Claims of the UserInfo endpoint, which the metadata then names. */
  userInfo: Record<string, unknown> | null;
  /** The path that answers 502 with a page, as a proxy does; null for none. */
  failing: string | null;
  /** Additional metadata. */
  metadata: Record<string, unknown>;
  close(): Promise<void>;
}

export interface TestTokens {
  /** Claims of a valid token; the caller adds `nonce`. */
  claims: Record<string, unknown>;
  /** Signs with the published key unless another is given. */
  sign(claims: Record<string, unknown>, key?: KeyObject): string;
  stranger: KeyObject;
}

const clientId = 'slipway';

export async function startHostileProvider(): Promise<HostileProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { privateKey: stranger } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'first' }];
  const sign: TestTokens['sign'] = (claims, key = privateKey) => signToken(claims, key);
  const server = createServer((request, response) => {
    const answer = (body: unknown, status = 200) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    request.resume();
    if (request.url === provider.failing) return answer('<html>Bad Gateway</html>', 502);
    if (request.url === '/.well-known/openid-configuration') return answer(metadataOf(provider));
    if (request.url === '/keys') return answer({ keys });
    if (request.url === '/userinfo') return answer(provider.userInfo);
    if (request.url !== '/token') return answer({}, 404);
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: provider.issuer, sub: 'mallory', aud: clientId, iat: now, exp: now + 600 };
    const { status, body } = provider.token({ claims, sign, stranger });
    return answer(body, status);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: HostileProvider = {
    issuer,
    userInfo: null,
    failing: null,
    metadata: {},
    token: () => ({ status: 500, body: {} }),
    settings: {
      SLIPWAY_OIDC_ISSUER: issuer,
      SLIPWAY_OIDC_CLIENT_ID: clientId,
      SLIPWAY_OIDC_NAME: 'Example',
      SLIPWAY_OIDC_SIGN_UP: 'open',
    },
    close: async () => {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

function metadataOf({ issuer, metadata }: HostileProvider) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    ...metadata,
  };
}

/** RFC 7515, section 7.1. */
function signToken(claims: Record<string, unknown>, key: KeyObject): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: 'first', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createSign('sha256').update(text).sign(key).toString('base64url')}`;
}
