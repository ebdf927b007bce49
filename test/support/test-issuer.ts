/** An issuer of ID tokens, as a CI has one: discovery, keys and signatures. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { OutboundEnvironment } from '../../src/core/outbound/outbound-target.ts';
import { type Answer, send } from './http-client.ts';

type Claims = Record<string, unknown>;

export interface TestIssuer {
  /** With `127.0.0.1`. */
  origin: string;
  port: number;
  /** The addresses that were requested. */
  asked: string[];
  /** Answers instead of the issuer, if it returns true. */
  respond: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The keys in the document, for changes. */
  keys: JWK[];
  /** Signs with the first key. `header` replaces fields of the header. */
  sign(claims: Claims, header?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export const newSigner = async (algorithm: 'RS256' | 'ES256', kid: string) => {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' } };
};

export const signWith = (
  key: CryptoKey | Uint8Array,
  claims: Claims,
  header: Record<string, unknown>,
): Promise<string> => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(key);

/** Serves every path as a separate issuer: `/git` is the issuer `http://127.0.0.1:<port>/git`. */
export async function startTestIssuer(issuerOf = (path: string, origin: string) => `${origin}${path}`) {
  const signer = await newSigner('RS256', 'first');
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    issuer.asked.push(url);
    if (issuer.respond(request, response)) return;
    const [path = '', document] = url.split('/.well-known/');
    const isDiscovery = document === 'openid-configuration';
    const body = isDiscovery
      ? {
          issuer: issuerOf(path, issuer.origin),
          jwks_uri: `${issuerOf(path, issuer.origin)}/.well-known/jwks`,
        }
      : { keys: issuer.keys };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer: TestIssuer = {
    origin: `http://127.0.0.1:${port}`,
    port,
    asked: [],
    respond: () => false,
    keys: [signer.jwk],
    sign: (claims, header) => signWith(signer.privateKey, claims, { kid: 'first', ...header }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}

/** Leads every host to the issuer, whose documents name the hosts: the internet without a network. */
export const asInternet = (port: () => number): Pick<OutboundEnvironment, 'findTarget'> => ({
  findTarget: async (address) => {
    const { host, pathname } = new URL(address);
    const url = new URL(`http://127.0.0.1:${port()}/${host}${pathname}`);
    return { url, addresses: [{ address: '127.0.0.1', family: 4 }], isPublic: true };
  },
});

export interface Exchanged {
  status: number;
  /** `error` of a refusal. */
  error: string | undefined;
  /** `error_description` of a refusal. */
  description: string;
  key: string;
  answer: Answer;
}

export async function exchangeToken(
  port: number,
  subjectToken: string,
  fields: Record<string, string> = {},
): Promise<Exchanged> {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    subject_token: subjectToken,
    ...fields,
  }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const answer = await send(port, '/oauth/token', { method: 'POST', headers, body });
  const given = JSON.parse(answer.text) as Record<string, string>;
  return {
    status: answer.status,
    error: given.error,
    description: given.error_description ?? '',
    key: given.access_token ?? '',
    answer,
  };
}
