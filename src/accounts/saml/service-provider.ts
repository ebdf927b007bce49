/** A service provider of SAML 2.0: requests by redirect, responses by POST. The library is loaded on first use. */
import { createHash, randomBytes } from 'node:crypto';
import type * as NodeSaml from '@node-saml/node-saml';
import { ProviderError } from '../single-sign-on/oidc-provider.ts';
import { decryptAssertion } from './encrypted-assertion.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { MetadataSource } from './metadata-source.ts';
import { readAssertion, type SamlAssertion, type SamlNameId } from './saml-assertion.ts';
import type { AttributeMapping, ServiceProviderKey } from './saml-config.ts';
import { SamlRefused } from './saml-refused.ts';
import { checkResponse, checkSignatures } from './saml-response.ts';
import { type LogoutMessage, readLogoutMessage } from './single-logout.ts';
import { allNamed, decodeXml, isElement, parseXml, XmlRefused, xmlNamespaces } from './xml-document.ts';

/** Where providers reach this server; see `samlPaths`. */
export interface ServiceProviderAddresses {
  entityId: string;
  acs: string;
  logout: string;
}

/** What the provider needs to know which of its sessions ends. */
export interface LeavingSession {
  nameId: SamlNameId;
  sessionIndex: string | null;
}

export interface AcceptedResponse {
  provider: IdentityProvider;
  assertion: SamlAssertion;
}

export interface ServiceProvider {
  addresses: ServiceProviderAddresses;
  /** The metadata of this server for the provider. */
  metadata(): Promise<string>;
  /** Returns the address to redirect the browser to. `isFresh`: the person must sign in again there. Throws `ProviderError`. */
  begin(options: { isFresh: boolean }): Promise<{ address: string; requestId: string }>;
  /** Verifies a response, in base64. Throws `SamlRefused` and `ProviderError`. */
  accept(encoded: string): Promise<AcceptedResponse>;
  /** Null if the provider has no single logout, or this server no key to sign the request. Throws `ProviderError`. */
  beginLogout(session: LeavingSession): Promise<{ address: string; requestId: string } | null>;
  /** `search`: the query of the address, as it was sent. Throws `SamlRefused`, `XmlRefused` and `ProviderError`. */
  acceptLogout(search: string): Promise<{ message: LogoutMessage; provider: IdentityProvider }>;
  /** Returns where to redirect the browser to after a request of the provider; null if it wants no answer. */
  answerLogout(requestId: string, relayState: string): Promise<string | null>;
  /** Reads the metadata of the provider. Throws `ProviderError`. */
  ask(): Promise<IdentityProvider>;
}

/** Base64 of `maxXmlBytes`, with line breaks. */
export const maxResponseLength = 360 * 1024;

export function createServiceProvider(deps: {
  addresses: ServiceProviderAddresses;
  source: MetadataSource;
  key: ServiceProviderKey | null;
  attributes: AttributeMapping;
  now: () => number;
}): ServiceProvider {
  const { addresses, source, key, attributes, now } = deps;
  const clientOf = async (options: Partial<NodeSaml.SamlConfig>) => {
    const { SAML } = await load();
    return new SAML({
      issuer: addresses.entityId,
      callbackUrl: addresses.acs,
      // Audience and times are checked by `readAssertion`, with the clock that all nodes share.
      audience: false,
      acceptedClockSkewMs: -1,
      idpCert: [],
      identifierFormat: null,
      disableRequestedAuthnContext: true,
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      wantAssertionsSigned: true,
      ...options,
    });
  };
  const logoutClientOf = (provider: IdentityProvider, logoutUrl: string, id: string) =>
    clientOf({
      entryPoint: provider.signInUrl,
      logoutUrl,
      idpCert: [...provider.certificates],
      generateUniqueId: () => id,
      ...(key && { privateKey: pemOf(key) }),
    });
  return {
    addresses,
    metadata: async () => {
      const { generateServiceProviderMetadata } = await load();
      const xml = generateServiceProviderMetadata({
        issuer: addresses.entityId,
        callbackUrl: addresses.acs,
        logoutCallbackUrl: addresses.logout,
        identifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        wantAssertionsSigned: true,
        ...(key && {
          privateKey: pemOf(key),
          publicCerts: key.certificate,
          decryptionPvk: pemOf(key),
          decryptionCert: key.certificate,
        }),
      });
      // The library announces what this server refuses, and another binding for single logout.
      return xml
        .replace(/<EncryptionMethod Algorithm="[^"]*-cbc"\/>/g, '')
        .replace(/(<SingleLogoutService Binding="[^"]*:)HTTP-POST"/, '$1HTTP-Redirect"');
    },
    begin: async ({ isFresh }) => {
      const provider = await source.read();
      if (provider.wantsSignedRequests && !key)
        throw new ProviderError(
          'refused',
          'the provider wants signed requests, but this server has no key for it',
        );
      const requestId = newId();
      const client = await clientOf({
        entryPoint: provider.signInUrl,
        idpCert: [...provider.certificates],
        forceAuthn: isFresh,
        generateUniqueId: () => requestId,
        ...(key && { privateKey: pemOf(key) }),
      });
      return { address: await client.getAuthorizeUrlAsync('', undefined, {}), requestId };
    },
    accept: async (encoded) => {
      const provider = await source.read();
      const { entityId: issuer } = provider;
      try {
        const text = decodeResponse(encoded);
        const head = checkResponse(text, { issuer, acs: addresses.acs });
        const readable = head.isEncrypted
          ? responseAround(decryptAssertion(head.assertion, key?.privateKey ?? null))
          : text;
        const client = await clientOf({
          idpCert: [...provider.certificates],
          wantAuthnResponseSigned: head.isSigned && !head.isEncrypted,
        });
        const signed = await verifySignature(client, readable);
        const expected = { issuer, audience: addresses.entityId, acs: addresses.acs, attributes, now: now() };
        const assertion = readAssertion(signed, expected);
        if (head.inResponseTo !== assertion.inResponseTo)
          throw new SamlRefused('request', 'InResponseTo of response and assertion differ');
        return { provider, assertion };
      } catch (error) {
        if (error instanceof XmlRefused) throw new SamlRefused('malformed', error.message);
        throw error;
      }
    },
    beginLogout: async ({ nameId, sessionIndex }) => {
      const provider = await source.read();
      if (provider.signOutUrl === null || !key) return null;
      const requestId = newId();
      const client = await logoutClientOf(provider, provider.signOutUrl, requestId);
      const person = {
        issuer: provider.entityId,
        nameID: nameId.value,
        // Without a format, the library would write an empty attribute.
        nameIDFormat: nameId.format ?? unspecifiedFormat,
        ...(sessionIndex === null ? {} : { sessionIndex }),
      };
      return { address: await client.getLogoutUrlAsync(person, '', {}), requestId };
    },
    acceptLogout: async (search) => {
      const provider = await source.read();
      const expected = { destination: addresses.logout, now: now() };
      return { message: readLogoutMessage(search, provider, expected), provider };
    },
    answerLogout: async (requestId, relayState) => {
      const provider = await source.read();
      if (provider.signOutAnswerUrl === null) return null;
      const client = await logoutClientOf(provider, provider.signOutAnswerUrl, newId());
      const request = { ID: requestId } as NodeSaml.Profile;
      return client.getLogoutResponseUrlAsync(request, relayState, {}, true);
    },
    ask: () => source.read(),
  };
}

const newId = () => `_${randomBytes(20).toString('hex')}`;
const unspecifiedFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

const load = (): Promise<typeof NodeSaml> => import('@node-saml/node-saml');

const pemOf = ({ privateKey }: ServiceProviderKey) =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

function decodeResponse(encoded: string): string {
  const base64 = encoded.replace(/[\r\n\t ]+/g, '');
  if (encoded.length > maxResponseLength) throw new SamlRefused('malformed', 'the response is too large');
  if (base64 === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw new SamlRefused('malformed', 'the response is not base64');
  return decodeXml(Buffer.from(base64, 'base64'));
}

/** Anyone can encrypt for this server, so the plain text is checked like a response. */
function responseAround(text: string): string {
  const root = parseXml(text);
  if (
    !isElement(root, 'assertion', 'Assertion') ||
    allNamed(root, 'Assertion', 'EncryptedAssertion').length > 1
  )
    throw new SamlRefused('wrapped', 'what is encrypted is not one assertion');
  checkSignatures(root);
  const assertion = text.replace(/^<\?xml [^<>]*\?>\s*/, '');
  return `<samlp:Response xmlns:samlp="${xmlNamespaces.protocol}">${assertion}</samlp:Response>`;
}

/** Returns the assertion exactly as it was signed, canonicalized. Throws `SamlRefused`. */
async function verifySignature(client: NodeSaml.SAML, text: string): Promise<string> {
  try {
    const SAMLResponse = Buffer.from(text).toString('base64');
    const { profile } = await client.validatePostResponseAsync({ SAMLResponse });
    const signed = profile?.getAssertionXml?.();
    if (signed) return signed;
  } catch (error) {
    throw new SamlRefused(
      'signature',
      'the signature of the response or the assertion is missing or invalid',
      {
        cause: error,
      },
    );
  }
  throw new SamlRefused('signature', 'the assertion is not signed');
}

/** Identifies an assertion or a request of a provider in the store of what was used. */
export const usedKey = (kind: 'assertion' | 'request', issuer: string, id: string): string =>
  createHash('sha256').update(`${kind}\0${issuer}\0${id}`).digest('hex');
