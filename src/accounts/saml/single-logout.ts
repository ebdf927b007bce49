/** Messages of single logout by redirect, which are signed in their addresses (SAML Bindings 2.0, section 3.4.4.1). */
import { createVerify } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { IdentityProvider } from './identity-provider.ts';
import { clockSkewMs, maxAssertionAgeMs } from './saml-assertion.ts';
import { SamlRefused } from './saml-refused.ts';
import {
  allNamed,
  attributeOf,
  childrenNamed,
  decodeXml,
  isElement,
  maxXmlBytes,
  onlyChild,
  parseXml,
  textOf,
  timeOf,
} from './xml-document.ts';

export type LogoutMessage =
  | { kind: 'request'; id: string; usedUntil: number; nameId: string; sessionIndexes: string[] }
  | { kind: 'response'; inResponseTo: string | null };

const hashes: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'RSA-SHA256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'RSA-SHA512',
};

/** `search`: as it was sent, because that is what is signed. Throws `SamlRefused` and `XmlRefused`. */
export function readLogoutMessage(
  search: string,
  provider: IdentityProvider,
  expected: { destination: string; now: number },
): LogoutMessage {
  const raw = rawParameters(search);
  const name = raw.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  verifySignature(raw, name, provider.certificates);
  const root = parseXml(decodeXml(inflate(decode(raw, name))));
  if (attributeOf(root, 'Version') !== '2.0')
    throw new SamlRefused('malformed', 'the message is not one of SAML 2.0');
  const issuer = onlyChild(root, 'assertion', 'Issuer');
  if (!issuer || textOf(issuer) !== provider.entityId)
    throw new SamlRefused('provider', 'the message is from another provider');
  const destination = attributeOf(root, 'Destination');
  if (destination !== null && destination !== expected.destination)
    throw new SamlRefused('destination', 'Destination of the message is another address');
  if (isElement(root, 'protocol', 'LogoutResponse'))
    return { kind: 'response', inResponseTo: attributeOf(root, 'InResponseTo') };
  if (!isElement(root, 'protocol', 'LogoutRequest') || name !== 'SAMLRequest')
    throw new SamlRefused('malformed', 'the message is not about single logout');
  return readRequest(root, expected.now);
}

function readRequest(root: Element, now: number): LogoutMessage {
  const id = attributeOf(root, 'ID');
  const issuedAt = timeOf(root, 'IssueInstant');
  const until = timeOf(root, 'NotOnOrAfter') ?? Number.POSITIVE_INFINITY;
  if (id === null || issuedAt === null) throw new SamlRefused('malformed', 'the request has no ID or time');
  const usedUntil = Math.min(until, issuedAt + maxAssertionAgeMs) + clockSkewMs;
  if (issuedAt > now + clockSkewMs || usedUntil <= now)
    throw new SamlRefused('expired', 'the request is too old or from the future: check the clocks');
  const nameId = onlyChild(root, 'assertion', 'NameID');
  if (!nameId || allNamed(root, 'NameID').length > 1)
    throw new SamlRefused('subject', 'the request has no NameID, or an encrypted one');
  return {
    kind: 'request',
    id,
    usedUntil,
    nameId: textOf(nameId),
    sessionIndexes: childrenNamed(root, 'protocol', 'SessionIndex').map(textOf),
  };
}

/** Names are not escaped by anyone. A parameter that occurs twice could be verified in one place and read in the other. */
function rawParameters(search: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of search.split('&')) {
    const [name = '', ...values] = part.split('=');
    const value = values.join('=');
    if (found.has(name)) throw new SamlRefused('malformed', 'a parameter occurs twice');
    found.set(name, value);
  }
  return found;
}

function decode(raw: ReadonlyMap<string, string>, name: string): string {
  try {
    return decodeURIComponent((raw.get(name) ?? '').replaceAll('+', ' '));
  } catch {
    throw new SamlRefused('malformed', 'a parameter is not escaped correctly');
  }
}

function verifySignature(
  raw: ReadonlyMap<string, string>,
  name: string,
  certificates: readonly string[],
): void {
  const hash = hashes[decode(raw, 'SigAlg')];
  if (!raw.has('Signature')) throw new SamlRefused('signature', 'the message is not signed');
  if (hash === undefined) throw new SamlRefused('algorithm', 'SigAlg of the message is not accepted');
  const signed = [name, 'RelayState', 'SigAlg']
    .filter((one) => raw.has(one))
    .map((one) => `${one}=${raw.get(one)}`)
    .join('&');
  const signature = Buffer.from(decode(raw, 'Signature').replaceAll(' ', '+'), 'base64');
  if (!certificates.some((certificate) => createVerify(hash).update(signed).verify(certificate, signature)))
    throw new SamlRefused('signature', 'the signature of the message is invalid');
}

function inflate(base64: string): Buffer {
  try {
    return inflateRawSync(Buffer.from(base64.replaceAll(' ', '+'), 'base64'), {
      maxOutputLength: maxXmlBytes,
    });
  } catch {
    throw new SamlRefused('malformed', 'the message is not compressed, or too large');
  }
}
