/** An identity provider of SAML that signs what a test writes, in canonical form, so that it needs no library. */
import {
  constants,
  createCipheriv,
  createHash,
  createHmac,
  createSign,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { createTestKey } from './test-key.ts';

const ns = {
  saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  xenc: 'http://www.w3.org/2001/04/xmlenc#',
  xenc11: 'http://www.w3.org/2009/xmlenc11#',
};

export interface SamlKey {
  /** In PEM. */
  key: string;
  certificate: string;
}

/** An RSA key with a self-signed certificate. */
export function createSamlKey(): SamlKey {
  const { privateKey, certificate } = createTestKey('rsa-2048');
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

export const certificateBody = ({ certificate }: Pick<SamlKey, 'certificate'>) =>
  certificate.replace(/-----[^-]+-----|\s/g, '');

/** Every text may be XML, so that tests can write what a provider never would. */
export interface AssertionFields {
  id: string;
  issuer: string;
  nameId: string;
  format: string;
  audience: string;
  recipient: string;
  inResponseTo: string | null;
  /** Milliseconds since the epoch. */
  issuedAt: number;
  notBefore: number;
  notOnOrAfter: number;
  authenticatedAt: number;
  sessionIndex: string;
  attributes: readonly (readonly [name: string, value: string])[];
}

export interface SamlProvider {
  entityId: string;
  keys: SamlKey;
  acs: string;
  audience: string;
  now(): number;
}

const at = (time: number) => new Date(time).toISOString();
export const newId = () => `_${randomBytes(16).toString('hex')}`;

export function metadataOf(
  provider: Pick<SamlProvider, 'entityId' | 'keys'>,
  { keys = [provider.keys], signOut = false }: { keys?: readonly SamlKey[]; signOut?: boolean } = {},
): string {
  const descriptors = keys.map(
    (key) =>
      `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${ns.ds}"><ds:X509Data><ds:X509Certificate>${certificateBody(key)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  );
  const origin = new URL(provider.entityId).origin;
  const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
  const logout = `<md:SingleLogoutService Binding="${redirect}" Location="${origin}/sign-out"/>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${provider.entityId}">
<md:IDPSSODescriptor protocolSupportEnumeration="${ns.samlp}">${descriptors.join('')}${signOut ? logout : ''}
<md:SingleSignOnService Binding="${redirect}" Location="${origin}/sign-in"/>
</md:IDPSSODescriptor></md:EntityDescriptor>`;
}

export function fieldsFor(provider: SamlProvider, changes: Partial<AssertionFields> = {}): AssertionFields {
  const now = provider.now();
  return {
    id: newId(),
    issuer: provider.entityId,
    nameId: 'mina-there',
    format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    audience: provider.audience,
    recipient: provider.acs,
    inResponseTo: null,
    issuedAt: now,
    notBefore: now - 60_000,
    notOnOrAfter: now + 5 * 60_000,
    authenticatedAt: now,
    sessionIndex: newId(),
    attributes: [],
    ...changes,
  };
}

/** In canonical form (Exclusive XML Canonicalization 1.0), with a mark where the signature goes. */
export function assertionOf(fields: AssertionFields): string {
  const answers = fields.inResponseTo === null ? '' : ` InResponseTo="${fields.inResponseTo}"`;
  const attributes = fields.attributes.map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
  );
  return [
    `<saml:Assertion xmlns:saml="${ns.saml}" ID="${fields.id}" IssueInstant="${at(fields.issuedAt)}" Version="2.0">`,
    `<saml:Issuer>${fields.issuer}</saml:Issuer>${signatureMark}`,
    `<saml:Subject><saml:NameID Format="${fields.format}">${fields.nameId}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">`,
    `<saml:SubjectConfirmationData${answers} NotOnOrAfter="${at(fields.notOnOrAfter)}" Recipient="${fields.recipient}"></saml:SubjectConfirmationData>`,
    '</saml:SubjectConfirmation></saml:Subject>',
    `<saml:Conditions NotBefore="${at(fields.notBefore)}" NotOnOrAfter="${at(fields.notOnOrAfter)}">`,
    `<saml:AudienceRestriction><saml:Audience>${fields.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${at(fields.authenticatedAt)}" SessionIndex="${fields.sessionIndex}">`,
    '<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>',
    attributes.length === 0
      ? ''
      : `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>`,
    '</saml:Assertion>',
  ].join('');
}

const signatureMark = '<?signature?>';

export type SignatureKind = 'sha256' | 'sha512' | 'sha1' | 'hmac';

const algorithms = {
  sha256: [`http://www.w3.org/2001/04/xmldsig-more#rsa-sha256`, `${ns.xenc}sha256`],
  sha512: [`http://www.w3.org/2001/04/xmldsig-more#rsa-sha512`, `${ns.xenc}sha512`],
  sha1: [`${ns.ds}rsa-sha1`, `${ns.ds}sha1`],
  hmac: [`${ns.ds}hmac-sha1`, `${ns.ds}sha1`],
} as const;

/** Puts a signature of the marked element where the mark is. `shown`: the certificate that the signature names. */
export function sign(
  marked: string,
  keys: SamlKey,
  { kind = 'sha256', shown = keys }: { kind?: SignatureKind; shown?: SamlKey } = {},
): string {
  const id = /\bID="([^"]+)"/.exec(marked)?.[1] ?? '';
  const [signatureAlgorithm, digestAlgorithm] = algorithms[kind];
  const hash = kind === 'hmac' ? 'sha1' : kind;
  const digest = createHash(hash).update(unsigned(marked)).digest('base64');
  const info = (declared: string) =>
    [
      `<ds:SignedInfo${declared}><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:CanonicalizationMethod>`,
      `<ds:SignatureMethod Algorithm="${signatureAlgorithm}"></ds:SignatureMethod>`,
      `<ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${ns.ds}enveloped-signature"></ds:Transform>`,
      '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:Transform></ds:Transforms>',
      `<ds:DigestMethod Algorithm="${digestAlgorithm}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`,
    ].join('');
  const signed = info(` xmlns:ds="${ns.ds}"`);
  const value =
    kind === 'hmac'
      ? createHmac('sha1', keys.certificate).update(signed).digest('base64')
      : createSign(`RSA-${kind}`).update(signed).sign(keys.key, 'base64');
  const signature = `<ds:Signature xmlns:ds="${ns.ds}">${info('')}<ds:SignatureValue>${value}</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificateBody(shown)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>`;
  return marked.replace(signatureMark, () => signature);
}

export const unsigned = (marked: string) => marked.replace(signatureMark, '');

export interface ResponseFields {
  destination?: string | null;
  inResponseTo?: string | null;
  issuer?: string;
  status?: string;
  id?: string;
}

/** A response around anything, with a mark for its own signature, in canonical form. */
export function responseOf(provider: SamlProvider, inner: string, fields: ResponseFields = {}): string {
  const { destination = provider.acs, inResponseTo = null, issuer = provider.entityId } = fields;
  const optional = [
    destination === null ? '' : ` Destination="${destination}"`,
    ` ID="${fields.id ?? newId()}"`,
    inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`,
  ].join('');
  const status = fields.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success';
  return `<samlp:Response xmlns:samlp="${ns.samlp}"${optional} IssueInstant="${at(provider.now())}" Version="2.0"><saml:Issuer xmlns:saml="${ns.saml}">${issuer}</saml:Issuer>${signatureMark}<samlp:Status><samlp:StatusCode Value="${status}"></samlp:StatusCode></samlp:Status>${inner}</samlp:Response>`;
}

export const encode = (xml: string) => Buffer.from(xml).toString('base64');

/** The response that a well-behaved provider sends. */
export function answer(provider: SamlProvider, changes: Partial<AssertionFields> = {}): string {
  const fields = fieldsFor(provider, changes);
  const { inResponseTo } = fields;
  const assertion = sign(assertionOf(fields), provider.keys);
  return unsigned(responseOf(provider, assertion, { inResponseTo }));
}

export interface EncryptionKind {
  cipher?: 'aes256-gcm' | 'aes128-gcm' | 'aes256-cbc';
  transport?: 'oaep' | 'oaep-sha256' | 'pkcs1';
}

/** Encrypts an assertion for a certificate. */
export function encrypt(
  assertion: string,
  certificate: string,
  { cipher = 'aes256-gcm', transport = 'oaep' }: EncryptionKind = {},
): string {
  const secret = randomBytes(cipher === 'aes128-gcm' ? 16 : 32);
  const isCbc = cipher === 'aes256-cbc';
  const nonce = randomBytes(isCbc ? 16 : 12);
  const name = isCbc ? 'aes-256-cbc' : (`aes-${secret.length * 8}-gcm` as 'aes-256-gcm');
  const sealing = createCipheriv(name, secret, nonce);
  const body = Buffer.concat([sealing.update(assertion), sealing.final()]);
  const sealed = Buffer.concat([
    nonce,
    body,
    isCbc ? Buffer.alloc(0) : (sealing as never as { getAuthTag(): Buffer }).getAuthTag(),
  ]);
  const padding = transport === 'pkcs1' ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_OAEP_PADDING;
  const oaep = transport === 'oaep-sha256' ? { oaepHash: 'sha256' } : {};
  const wrapped = publicEncrypt({ key: certificate, padding, ...oaep }, secret);
  const methods = {
    oaep: `<xenc:EncryptionMethod Algorithm="${ns.xenc}rsa-oaep-mgf1p"><ds:DigestMethod xmlns:ds="${ns.ds}" Algorithm="${ns.ds}sha1"/></xenc:EncryptionMethod>`,
    'oaep-sha256': `<xenc:EncryptionMethod Algorithm="${ns.xenc11}rsa-oaep"><ds:DigestMethod xmlns:ds="${ns.ds}" Algorithm="${ns.xenc}sha256"/><xenc11:MGF xmlns:xenc11="${ns.xenc11}" Algorithm="${ns.xenc11}mgf1sha256"/></xenc:EncryptionMethod>`,
    pkcs1: `<xenc:EncryptionMethod Algorithm="${ns.xenc}rsa-1_5"/>`,
  };
  const data = isCbc ? `${ns.xenc}aes256-cbc` : `${ns.xenc11}${cipher}`;
  const value = (bytes: Buffer) =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`;
  return [
    `<saml:EncryptedAssertion xmlns:saml="${ns.saml}"><xenc:EncryptedData xmlns:xenc="${ns.xenc}" Type="${ns.xenc}Element">`,
    `<xenc:EncryptionMethod Algorithm="${data}"/><ds:KeyInfo xmlns:ds="${ns.ds}"><xenc:EncryptedKey>${methods[transport]}${value(wrapped)}</xenc:EncryptedKey></ds:KeyInfo>`,
    `${value(sealed)}</xenc:EncryptedData></saml:EncryptedAssertion>`,
  ].join('');
}

/** The request in an address that this server redirects the browser to. */
export function readRequest(address: string): { id: string; xml: string; params: URLSearchParams } {
  const params = new URL(address).searchParams;
  const xml = inflateRawSync(Buffer.from(params.get('SAMLRequest') ?? '', 'base64')).toString();
  return { id: /\bID="([^"]+)"/.exec(xml)?.[1] ?? '', xml, params };
}

/** The query of a message by redirect, signed. */
export function signedQuery(
  name: 'SAMLRequest' | 'SAMLResponse',
  xml: string,
  keys: SamlKey,
  { relayState = null, hash = 'sha256' }: { relayState?: string | null; hash?: 'sha256' | 'sha1' } = {},
): string {
  const algorithm = hash === 'sha256' ? algorithms.sha256[0] : algorithms.sha1[0];
  const parameters = [
    [name, deflateRawSync(xml).toString('base64')],
    ...(relayState === null ? [] : [['RelayState', relayState]]),
    ['SigAlg', algorithm],
  ].map(([key, value = '']) => `${key}=${encodeURIComponent(value)}`);
  const signed = parameters.join('&');
  const signature = createSign(`RSA-${hash}`).update(signed).sign(keys.key, 'base64');
  return `${signed}&Signature=${encodeURIComponent(signature)}`;
}

export interface LogoutFields {
  issuer?: string;
  destination?: string;
  nameId?: string;
  issuedAt?: number;
  sessionIndex?: string | null;
}

export function logoutRequestOf(provider: SamlProvider, fields: LogoutFields = {}): string {
  const { issuer = provider.entityId, nameId = 'mina-there', sessionIndex = null } = fields;
  const destination = fields.destination ?? provider.acs.replace(/acs$/, 'logout');
  const index = sessionIndex === null ? '' : `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>`;
  return `<samlp:LogoutRequest xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" Destination="${destination}" ID="${newId()}" IssueInstant="${at(fields.issuedAt ?? provider.now())}" Version="2.0"><saml:Issuer>${issuer}</saml:Issuer><saml:NameID>${nameId}</saml:NameID>${index}</samlp:LogoutRequest>`;
}

export function logoutResponseOf(provider: SamlProvider, inResponseTo: string): string {
  const destination = provider.acs.replace(/acs$/, 'logout');
  return `<samlp:LogoutResponse xmlns:samlp="${ns.samlp}" Destination="${destination}" ID="${newId()}" InResponseTo="${inResponseTo}" IssueInstant="${at(provider.now())}" Version="2.0"><saml:Issuer xmlns:saml="${ns.saml}">${provider.entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode></samlp:Status></samlp:LogoutResponse>`;
}
