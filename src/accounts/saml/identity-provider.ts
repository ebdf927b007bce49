/** What the metadata of an identity provider says (SAML Metadata 2.0, section 2). */
import { X509Certificate } from 'node:crypto';
import {
  attributeOf,
  childrenNamed,
  decodeXml,
  isElement,
  onlyChild,
  parseXml,
  textOf,
  timeOf,
  XmlRefused,
  xmlNamespaces,
} from './xml-document.ts';

export interface IdentityProvider {
  entityId: string;
  /** Where requests are sent, by redirect. */
  signInUrl: string;
  /** Where requests and answers of single logout are sent, by redirect; null if the provider has none. */
  signOutUrl: string | null;
  signOutAnswerUrl: string | null;
  /** In PEM. Several while the provider replaces its certificate. */
  certificates: readonly string[];
  wantsSignedRequests: boolean;
}

/** The metadata that was read last from a place. */
export interface KeptMetadata {
  /** Null if it was never read. */
  xml: string | null;
  readAt: number | null;
  triedAt: number;
  /** Why the last attempt failed; null if it did not. */
  problem: string | null;
}

export const maxCertificates = 10;
const maxEntityIdLength = 1024;
const minRsaBits = 2048;
const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

/** Throws `XmlRefused`. Certificates are trusted whatever their dates: the metadata vouches for them (SAML Metadata Interoperability). */
export function readProviderMetadata(bytes: Uint8Array, now: number): IdentityProvider {
  const root = parseXml(decodeXml(bytes));
  if (!isElement(root, 'metadata', 'EntityDescriptor'))
    throw new XmlRefused('the metadata must describe one provider: its root must be EntityDescriptor');
  const entityId = attributeOf(root, 'entityID');
  if (entityId === null || entityId.length > maxEntityIdLength)
    throw new XmlRefused('the metadata has no usable entityID');
  const role = childrenNamed(root, 'metadata', 'IDPSSODescriptor').find((one) =>
    (attributeOf(one, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(xmlNamespaces.protocol),
  );
  if (!role) throw new XmlRefused('the metadata describes no identity provider for SAML 2.0');
  for (const element of [root, role]) {
    const validUntil = timeOf(element, 'validUntil');
    if (validUntil !== null && validUntil <= now)
      throw new XmlRefused('the metadata has expired (validUntil)');
  }
  const signOutUrl = endpointOf(role, 'SingleLogoutService', 'Location');
  const signInUrl = endpointOf(role, 'SingleSignOnService', 'Location');
  if (signInUrl === null)
    throw new XmlRefused('the metadata has no SingleSignOnService with the binding HTTP-Redirect');
  return {
    entityId,
    signInUrl,
    signOutUrl,
    signOutAnswerUrl: endpointOf(role, 'SingleLogoutService', 'ResponseLocation') ?? signOutUrl,
    certificates: signingCertificates(role),
    wantsSignedRequests: ['true', '1'].includes(attributeOf(role, 'WantAuthnRequestsSigned') ?? ''),
  };
}

function endpointOf(role: Element, service: string, attribute: string): string | null {
  const endpoint = childrenNamed(role, 'metadata', service).find(
    (one) => attributeOf(one, 'Binding') === redirectBinding,
  );
  const address = attributeOf(endpoint ?? null, attribute);
  if (address === null) return null;
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.hash)
    throw new XmlRefused(`${service} of the metadata has an invalid address`);
  return url.href;
}

function signingCertificates(role: Element): string[] {
  const keys = childrenNamed(role, 'metadata', 'KeyDescriptor').filter(
    (key) => attributeOf(key, 'use') !== 'encryption',
  );
  const found = keys
    .flatMap((key) => childrenNamed(key, 'signature', 'KeyInfo'))
    .flatMap((info) => childrenNamed(info, 'signature', 'X509Data'))
    .map((data) => onlyChild(data, 'signature', 'X509Certificate'))
    .filter((element) => element !== null)
    .map((element) => readCertificate(textOf(element)));
  const certificates = [...new Set(found)];
  if (certificates.length === 0) throw new XmlRefused('the metadata has no certificate for signatures');
  if (certificates.length > maxCertificates)
    throw new XmlRefused(`the metadata has more than ${maxCertificates} certificates for signatures`);
  return certificates;
}

function readCertificate(base64: string): string {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    throw new XmlRefused('the metadata has an invalid certificate');
  }
  const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = certificate.publicKey;
  if (kind !== 'rsa' || (details?.modulusLength ?? 0) < minRsaBits)
    throw new XmlRefused(`certificates must have an RSA key of at least ${minRsaBits} bits`);
  return certificate.toString();
}
