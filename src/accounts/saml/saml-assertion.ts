/** Reads a signed assertion, and checks who issued it, for whom, when and about whom (SAML Profiles 2.0, section 4.1.4). */
import { isEmailAddress } from '../profile/email-address.ts';
import { maxSubjectLength } from '../single-sign-on/provider-identity.ts';
import type { AttributeMapping } from './saml-config.ts';
import { SamlRefused } from './saml-refused.ts';
import {
  attributeOf,
  childElements,
  childrenNamed,
  isElement,
  onlyChild,
  parseXml,
  textOf,
  timeOf,
} from './xml-document.ts';

export interface SamlAssertion {
  id: string;
  inResponseTo: string | null;
  /** The assertion must not be accepted again until then. */
  usedUntil: number;
  /** When the person signed in at the provider; null if it does not say. */
  authenticatedAt: number | null;
  subject: string;
  nameId: SamlNameId;
  sessionIndex: string | null;
  email: string | null;
  /** Candidates for a user name, best first. */
  names: string[];
  /** Null if the assertion does not say. */
  groups: string[] | null;
}

/** What single logout needs to name the person. */
export interface SamlNameId {
  value: string;
  format: string | null;
}

export interface ExpectedAssertion {
  issuer: string;
  audience: string;
  acs: string;
  attributes: AttributeMapping;
  now: number;
}

/** Tolerated clock skew to the provider. */
export const clockSkewMs = 60_000;
/** Nobody needs longer from the provider to this server. */
export const maxAssertionAgeMs = 10 * 60_000;
const maxIdLength = 256;
const maxAttributes = 500;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const nameFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:';
const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** `text`: exactly what was signed. Throws `SamlRefused` and `XmlRefused`. */
export function readAssertion(text: string, expected: ExpectedAssertion): SamlAssertion {
  const root = parseXml(text);
  if (!isElement(root, 'assertion', 'Assertion') || attributeOf(root, 'Version') !== '2.0')
    throw new SamlRefused('malformed', 'what is signed is not an assertion of SAML 2.0');
  const id = attributeOf(root, 'ID');
  if (id === null || id.length > maxIdLength)
    throw new SamlRefused('malformed', 'the assertion has no usable ID');
  const issuer = onlyChild(root, 'assertion', 'Issuer');
  if (!issuer || textOf(issuer) !== expected.issuer)
    throw new SamlRefused('provider', 'the assertion is from another provider');
  const issuedAt = timeOf(root, 'IssueInstant');
  const { now } = expected;
  if (issuedAt === null || issuedAt > now + clockSkewMs)
    throw new SamlRefused(
      'expired',
      'IssueInstant of the assertion is missing or in the future: check the clocks',
    );
  if (issuedAt + maxAssertionAgeMs <= now - clockSkewMs)
    throw new SamlRefused('expired', 'the assertion is too old: check the clocks');
  checkConditions(root, expected);
  const confirmation = findConfirmation(root, expected);
  return {
    id,
    inResponseTo: confirmation.inResponseTo,
    usedUntil: Math.min(confirmation.notOnOrAfter, issuedAt + maxAssertionAgeMs) + clockSkewMs,
    ...readAuthentication(root, now),
    ...readPerson(root, expected.attributes),
  };
}

function checkTimes(element: Element, now: number): void {
  const from = timeOf(element, 'NotBefore');
  const until = timeOf(element, 'NotOnOrAfter');
  if (from !== null && from > now + clockSkewMs)
    throw new SamlRefused('expired', 'NotBefore of the assertion is in the future: check the clocks');
  if (until !== null && until <= now - clockSkewMs)
    throw new SamlRefused('expired', 'NotOnOrAfter of the assertion is in the past: check the clocks');
}

const knownConditions = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];

function checkConditions(root: Element, { audience, now }: ExpectedAssertion): void {
  const conditions = onlyChild(root, 'assertion', 'Conditions');
  if (!conditions) throw new SamlRefused('audience', 'the assertion has no conditions');
  checkTimes(conditions, now);
  if (childElements(conditions).some(({ localName }) => !knownConditions.includes(localName)))
    throw new SamlRefused('malformed', 'the assertion has a condition that this server does not know');
  const restrictions = childrenNamed(conditions, 'assertion', 'AudienceRestriction');
  const isForUs = (one: Element) =>
    childrenNamed(one, 'assertion', 'Audience').some((element) => textOf(element) === audience);
  if (restrictions.length === 0 || !restrictions.every(isForUs))
    throw new SamlRefused('audience', 'the assertion is for another service');
}

function findConfirmation(root: Element, { acs, now }: ExpectedAssertion) {
  const subject = onlyChild(root, 'assertion', 'Subject');
  const [confirmation, ...others] = (
    subject ? childrenNamed(subject, 'assertion', 'SubjectConfirmation') : []
  ).filter((one) => attributeOf(one, 'Method') === bearer);
  const data = confirmation && onlyChild(confirmation, 'assertion', 'SubjectConfirmationData');
  if (!data || others.length > 0)
    throw new SamlRefused('malformed', 'the assertion does not have one confirmation for its bearer');
  if (attributeOf(data, 'Recipient') !== acs)
    throw new SamlRefused('destination', 'Recipient of the assertion is missing or another address');
  const notOnOrAfter = timeOf(data, 'NotOnOrAfter');
  if (notOnOrAfter === null) throw new SamlRefused('expired', 'the confirmation has no NotOnOrAfter');
  checkTimes(data, now);
  return { notOnOrAfter, inResponseTo: attributeOf(data, 'InResponseTo') };
}

function readAuthentication(root: Element, now: number) {
  const [statement] = childrenNamed(root, 'assertion', 'AuthnStatement');
  if (!statement) throw new SamlRefused('malformed', 'the assertion does not say that anyone signed in');
  const until = timeOf(statement, 'SessionNotOnOrAfter');
  if (until !== null && until <= now - clockSkewMs)
    throw new SamlRefused('expired', 'SessionNotOnOrAfter of the assertion is in the past');
  const sessionIndex = attributeOf(statement, 'SessionIndex');
  if ((sessionIndex?.length ?? 0) > maxIdLength)
    throw new SamlRefused('malformed', 'SessionIndex of the assertion is too long');
  return { sessionIndex, authenticatedAt: timeOf(statement, 'AuthnInstant') };
}

function readPerson(root: Element, mapping: AttributeMapping) {
  const subject = onlyChild(root, 'assertion', 'Subject');
  const element = subject && onlyChild(subject, 'assertion', 'NameID');
  const value = element ? lineOf(textOf(element)) : null;
  if (!element || value === null)
    throw new SamlRefused('subject', 'the assertion has no NameID, or an encrypted one');
  const nameId = { value, format: attributeOf(element, 'Format') };
  const values = readAttributes(root);
  const find = (names: readonly string[]) => {
    const name = names.find((one) => values.has(one));
    return name === undefined ? null : (values.get(name) ?? null);
  };
  if (mapping.subject === null && nameId.format === `${nameFormat}transient`)
    throw new SamlRefused('subject', 'NameID is transient: it changes with every sign-in');
  const person = mapping.subject === null ? value : find([mapping.subject]);
  if (person === null || person.length > maxSubjectLength)
    throw new SamlRefused('subject', 'the identifier of the person is missing or too long');
  const given = find(mapping.email) ?? (nameId.format === emailFormat ? value : null);
  const email = given !== null && isEmailAddress(given) ? given : null;
  const names = [find(mapping.name), email, value].filter((name) => name !== null);
  return { nameId, subject: person, email, names, groups: readGroups(root, mapping.groups) };
}

/** Entra ID, with more than 150 groups, says only where to ask for them. */
const groupsElsewhere = 'http://schemas.microsoft.com/claims/groups.link';

/** Providers omit the attribute for people without groups. */
function readGroups(root: Element, name: string | null): string[] | null {
  if (name === null) return null;
  const attributes = attributesOf(root);
  if (attributes.some((one) => attributeOf(one, 'Name') === groupsElsewhere)) return null;
  return attributes
    .filter((one) => attributeOf(one, 'Name') === name)
    .flatMap((one) => childrenNamed(one, 'assertion', 'AttributeValue'))
    .map((value) => (childElements(value).length === 0 ? lineOf(textOf(value)) : null))
    .filter((group) => group !== null);
}

const attributesOf = (root: Element) =>
  childrenNamed(root, 'assertion', 'AttributeStatement').flatMap((statement) =>
    childrenNamed(statement, 'assertion', 'Attribute'),
  );

/** An attribute with several values, or that occurs several times, has the value null: it does not say which one counts. */
function readAttributes(root: Element): ReadonlyMap<string, string | null> {
  const attributes = attributesOf(root);
  if (attributes.length > maxAttributes)
    throw new SamlRefused('malformed', `the assertion has more than ${maxAttributes} attributes`);
  const found = new Map<string, string | null>();
  for (const attribute of attributes) {
    const name = attributeOf(attribute, 'Name') ?? '';
    const [value, ...others] = childrenNamed(attribute, 'assertion', 'AttributeValue');
    const isSingle = value && others.length === 0 && childElements(value).length === 0 && !found.has(name);
    found.set(name, isSingle ? lineOf(textOf(value)) : null);
  }
  return found;
}

/** Null if there is no text, or if it has control characters, which databases and pages do not accept. */
function lineOf(text: string): string | null {
  return text !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text) ? text : null;
}
