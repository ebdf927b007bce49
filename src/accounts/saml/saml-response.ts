/**
 * Checks a response before its signature is verified: what it must not contain is refused without a look at any key, so that no
 * second assertion exists that could be read instead of the signed one (signature wrapping).
 */
import { SamlRefused } from './saml-refused.ts';
import {
  allNamed,
  attributeOf,
  childElements,
  childrenNamed,
  isElement,
  onlyChild,
  parseXml,
  textOf,
  xmlNamespaces,
} from './xml-document.ts';

const { signature: dsig } = xmlNamespaces;
const statusPrefix = 'urn:oasis:names:tc:SAML:2.0:status:';
/** SHA-256 and better, RSA only: an HMAC would be verified with the certificate as its secret. */
const algorithms = {
  CanonicalizationMethod: ['http://www.w3.org/2001/10/xml-exc-c14n#'],
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  Transform: [`${dsig}enveloped-signature`, 'http://www.w3.org/2001/10/xml-exc-c14n#'],
} as const;

export interface ResponseHead {
  /** Null if the provider began the sign-in. */
  inResponseTo: string | null;
  isEncrypted: boolean;
  /** Whether the response has a signature, besides that of the assertion. */
  isSigned: boolean;
  /** The one `Assertion` or `EncryptedAssertion`. */
  assertion: Element;
}

/** `text`: from `decodeXml`. Throws `SamlRefused` and `XmlRefused`. */
export function checkResponse(text: string, expected: { issuer: string; acs: string }): ResponseHead {
  const root = parseXml(text);
  if (!isElement(root, 'protocol', 'Response') || attributeOf(root, 'Version') !== '2.0')
    throw new SamlRefused('malformed', 'the message is not a response of SAML 2.0');
  checkStatus(root);
  const issuer = onlyChild(root, 'assertion', 'Issuer');
  if (issuer && textOf(issuer) !== expected.issuer)
    throw new SamlRefused('provider', 'Issuer of the response is another provider');
  const destination = attributeOf(root, 'Destination');
  const isSigned = childrenNamed(root, 'signature', 'Signature').length > 0;
  if (destination === null ? isSigned : destination !== expected.acs)
    throw new SamlRefused('destination', 'Destination of the response is missing or another address');
  const assertion = onlyAssertion(root);
  checkUniqueIds(root);
  checkSignatures(root);
  return {
    assertion,
    inResponseTo: attributeOf(root, 'InResponseTo'),
    isEncrypted: assertion.localName === 'EncryptedAssertion',
    isSigned,
  };
}

function checkStatus(root: Element): void {
  const status = onlyChild(root, 'protocol', 'Status');
  const code = status && onlyChild(status, 'protocol', 'StatusCode');
  const value = attributeOf(code, 'Value');
  if (value === `${statusPrefix}Success`) return;
  const detail = attributeOf(code && onlyChild(code, 'protocol', 'StatusCode'), 'Value') ?? value ?? '';
  const word = detail.startsWith(statusPrefix) ? detail.slice(statusPrefix.length) : 'unknown';
  throw new SamlRefused('declined', `the provider declined: status ${word.slice(0, 40)}`);
}

function onlyAssertion(root: Element): Element {
  const [assertion, ...others] = allNamed(root, 'Assertion', 'EncryptedAssertion');
  if (!assertion) throw new SamlRefused('malformed', 'the response has no assertion');
  if (others.length > 0) throw new SamlRefused('wrapped', 'the response has more than one assertion');
  if (assertion.parentNode !== root || assertion.namespaceURI !== xmlNamespaces.assertion)
    throw new SamlRefused('wrapped', 'the assertion is not where it must be');
  if (allNamed(root, 'Response').length > 1)
    throw new SamlRefused('wrapped', 'the response has another response in it');
  return assertion;
}

function checkUniqueIds(root: Element): void {
  const seen = new Set<string>();
  const visit = (element: Element): void => {
    for (const { localName, name, value } of Array.from(element.attributes)) {
      if ((localName ?? name).toLowerCase() !== 'id') continue;
      if (seen.has(value)) throw new SamlRefused('wrapped', 'the response has an ID twice');
      seen.add(value);
    }
    childElements(element).forEach(visit);
  };
  visit(root);
}

/** Also for a decrypted assertion, which anyone may have encrypted. */
export function checkSignatures(root: Element): void {
  for (const signature of allNamed(root, 'Signature')) {
    const parent = signature.parentNode as Element;
    const isOfParent =
      isElement(parent, 'protocol', 'Response') || isElement(parent, 'assertion', 'Assertion');
    if (!isOfParent || signature.namespaceURI !== dsig)
      throw new SamlRefused('wrapped', 'a signature is not where it must be');
    if (childrenNamed(parent, 'signature', 'Signature').length > 1)
      throw new SamlRefused('wrapped', 'an element has several signatures');
    // An `Object` may carry anything, even the element that was signed.
    if (childrenNamed(signature, 'signature', 'Object').length > 0)
      throw new SamlRefused('wrapped', 'a signature contains an object');
    const reference = allNamed(signature, 'Reference');
    if (
      reference.length !== 1 ||
      attributeOf(reference[0] ?? null, 'URI') !== `#${attributeOf(parent, 'ID')}`
    )
      throw new SamlRefused('wrapped', 'a signature is not about the element that contains it');
    checkAlgorithms(signature);
  }
}

function checkAlgorithms(signature: Element): void {
  for (const [name, permitted] of Object.entries(algorithms)) {
    const found = allNamed(signature, name);
    if (found.length === 0 && name !== 'Transform')
      throw new SamlRefused('malformed', `a signature has no ${name}`);
    for (const element of found) {
      const algorithm = attributeOf(element, 'Algorithm') ?? '';
      if (!(permitted as readonly string[]).includes(algorithm))
        throw new SamlRefused('algorithm', `${name} of a signature is not accepted`);
    }
  }
}
