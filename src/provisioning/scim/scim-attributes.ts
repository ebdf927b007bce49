/** Reads the attributes of resources and the operations of PATCH from JSON. */
import { hiddenCharacterOf } from '../../core/name-text.ts';
import { checkEmail } from '../../owners/create-owners.ts';
import { type Filter, invalidValue, ScimError, schemaIds, scimLimits, type UserAttributes } from './scim.ts';
import { type AttributePath, parsePath, plainPath } from './scim-filter.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Attributes of RFC 7643 that Slipway has no use for. They are accepted, because directories send them by default, and not stored. */
const ignoredAttributes = new Set(
  `schemas id meta groups nickname profileurl title usertype preferredlanguage locale timezone password phonenumbers ims photos
   addresses entitlements roles x509certificates employeenumber costcenter organization division department manager`.split(
    /\s+/,
  ),
);
const ofEnterprise = schemaIds.enterpriseUser.toLowerCase();

/** Whether an attribute is in the standard, but not stored. */
export function isIgnored(path: string): boolean {
  const [first = ''] = path.split('.');
  return ignoredAttributes.has(first) || path.startsWith(ofEnterprise);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function requireObject(value: unknown, name: string): JsonObject {
  if (isObject(value)) return value;
  throw new ScimError('invalidSyntax', `${name} must be an object`);
}

/** Returns the attributes by their names in lower case and without schema, because names ignore case (RFC 7643, section 2.1). */
export function attributesOf(object: JsonObject): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    const path = plainPath(name);
    if (found.has(path)) throw new ScimError('invalidSyntax', `${name} occurs twice`);
    found.set(path, value);
  }
  return found;
}

/** Throws `invalidSyntax` unless the schemas contain `id`. Requests without schemas are accepted. */
export function requireSchema(schemas: unknown, id: string): void {
  if (schemas === undefined) return;
  const isKnown =
    Array.isArray(schemas) &&
    schemas.every((one) => typeof one === 'string') &&
    schemas.some((one) => one.toLowerCase() === id.toLowerCase());
  if (!isKnown) throw new ScimError('invalidSyntax', `schemas must contain ${id}`);
}

/** Null for null and blank texts. */
export function readText(value: unknown, name: string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string') throw invalidValue(`${name} must be a text`);
  const text = value.trim();
  if (text.length > scimLimits.textLength)
    throw invalidValue(`${name} is longer than ${scimLimits.textLength} characters`);
  const hidden = hiddenCharacterOf(text);
  if (hidden !== null) throw invalidValue(`${name} contains the invisible character ${hidden}`);
  return text === '' ? null : text;
}

/** Entra ID sends `"True"` and `"False"` unless it is told otherwise. */
function readFlag(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalidValue(`${name} must be true or false`);
}

type Draft = { -readonly [Name in keyof UserAttributes]: UserAttributes[Name] };

const emptyUser = (): Draft => ({
  userName: '',
  externalId: null,
  displayName: null,
  formattedName: null,
  givenName: null,
  familyName: null,
  email: null,
  active: true,
});

/** Reads a complete User. Throws `invalidSyntax` for attributes that no schema has, and `invalidValue`. */
export function readUser(body: JsonObject): UserAttributes {
  const given = attributesOf(body);
  requireSchema(given.get('schemas'), schemaIds.user);
  const draft = emptyUser();
  setAll(draft, given, (name) => new ScimError('invalidSyntax', `unknown attribute: ${name}`));
  return checkUser(draft);
}

function checkUser(draft: Draft): UserAttributes {
  if (draft.userName === '') throw invalidValue('userName is required');
  return draft;
}

function setAll(draft: Draft, given: ReadonlyMap<string, unknown>, unknown: (name: string) => ScimError) {
  for (const [name, value] of given) setAttribute(draft, name, value, unknown);
}

const nameParts = {
  'name.formatted': 'formattedName',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
} as const;
const texts = { externalid: 'externalId', displayname: 'displayName', ...nameParts } as const;
/** Parts of a name that are accepted and not stored. */
const otherNameParts = ['name.middlename', 'name.honorificprefix', 'name.honorificsuffix'];

function setAttribute(
  draft: Draft,
  path: string,
  value: unknown,
  unknown: (name: string) => ScimError,
): void {
  if (path === 'username') draft.userName = readText(value, 'userName') ?? '';
  else if (path === 'active') draft.active = readFlag(value, 'active');
  else if (Object.hasOwn(texts, path)) draft[texts[path as keyof typeof texts]] = readText(value, path);
  else if (path === 'name') {
    if (value === null) for (const part of Object.values(nameParts)) draft[part] = null;
    else
      for (const [part, one] of attributesOf(requireObject(value, 'name')))
        setAttribute(draft, `name.${part}`, one, unknown);
  } else if (path === 'emails') draft.email = readEmails(value);
  else if (path === 'emails.value')
    draft.email = value === null ? null : { value: readEmail(value), type: draft.email?.type ?? null };
  else if (path === 'emails.type' || path === 'emails.primary') return;
  else if (!isIgnored(path) && !otherNameParts.includes(path)) throw unknown(path.slice(0, 100));
}

function readEmail(value: unknown): string {
  const text = readText(value, 'emails.value');
  if (text === null) throw invalidValue('emails.value is required');
  try {
    return checkEmail(text);
  } catch {
    throw invalidValue('emails.value is not an email address');
  }
}

/** An account has one address: the primary one, else the one for work, else the first. */
function readEmails(value: unknown): UserAttributes['email'] {
  if (value === null) return null;
  const given = (Array.isArray(value) ? value : [value]).map((one) =>
    attributesOf(isObject(one) ? one : { value: one }),
  );
  const isPrimary = (one: Map<string, unknown>) =>
    one.get('primary') !== undefined && readFlag(one.get('primary') ?? false, 'emails.primary');
  const chosen =
    given.find(isPrimary) ??
    given.find((one) => String(one.get('type')).toLowerCase() === 'work') ??
    given[0];
  if (!chosen || readText(chosen.get('value'), 'emails.value') === null) return null;
  return { value: readEmail(chosen.get('value')), type: readText(chosen.get('type'), 'emails.type') };
}

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  /** Null for an object of attributes in `value`. */
  path: string | null;
  value: unknown;
}

/** Throws `invalidSyntax`. */
export function readPatch(body: JsonObject): PatchOperation[] {
  const given = attributesOf(body);
  requireSchema(given.get('schemas'), schemaIds.patch);
  const operations = given.get('operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw new ScimError('invalidSyntax', 'Operations must be a list with at least one operation');
  if (operations.length > scimLimits.patchOperations)
    throw new ScimError('tooMany', `more than ${scimLimits.patchOperations} operations`);
  return operations.map((one) => {
    const fields = attributesOf(requireObject(one, 'an operation'));
    // Entra ID sends Add, Replace and Remove.
    const op = String(fields.get('op')).toLowerCase();
    if (op !== 'add' && op !== 'replace' && op !== 'remove')
      throw new ScimError('invalidSyntax', 'op must be add, replace or remove');
    const path = fields.get('path') ?? null;
    if (path !== null && typeof path !== 'string') throw new ScimError('invalidPath', 'path must be a text');
    if (path === null && op === 'remove') throw new ScimError('noTarget', 'remove needs a path');
    const value = fields.get('value');
    if (op !== 'remove' && value === undefined) throw invalidValue(`${op} needs a value`);
    if (path === null && !isObject(value)) throw invalidValue(`without a path, ${op} needs an object`);
    return { op, path, value };
  });
}

/** Applies PATCH operations in their order (RFC 7644, section 3.5.2). */
export function patchUser(user: UserAttributes, operations: readonly PatchOperation[]): UserAttributes {
  const draft: Draft = { ...user };
  const unknown = (name: string) => new ScimError('invalidPath', `unknown attribute: ${name}`);
  for (const { op, path, value } of operations) {
    if (path === null) {
      setAll(draft, attributesOf(value as JsonObject), unknown);
      continue;
    }
    // The colons of the extension are not those of a filter.
    if (path.toLowerCase().startsWith(ofEnterprise)) continue;
    const target = parsePath(path);
    if (target.filter) patchSelected(draft, target, op, value, unknown);
    else if (op !== 'remove') setAttribute(draft, target.attribute, value, unknown);
    else removeAttribute(draft, target.attribute, unknown);
  }
  return checkUser(draft);
}

function removeAttribute(draft: Draft, path: string, unknown: (name: string) => ScimError): void {
  if (path === 'username' || path === 'active')
    throw new ScimError('mutability', `${path} cannot be removed`);
  setAttribute(draft, path === 'emails.value' ? 'emails' : path, null, unknown);
}

/** Whether the filter selects the value, of which only texts and flags are compared. */
function selects(filter: Filter, value: Readonly<Record<string, unknown>>): boolean {
  if ('parts' in filter) {
    const selected = filter.parts.map((part) => selects(part, value));
    return filter.op === 'and' ? !selected.includes(false) : selected.includes(true);
  }
  if (filter.op === 'not') return !selects(filter.part, value);
  const held = value[filter.path] ?? null;
  if (filter.op === 'pr') return held !== null;
  const [one, other] = [held, filter.value].map((part) => String(part).toLowerCase()) as [string, string];
  if (filter.op === 'eq' || filter.op === 'ne') return (one === other) === (filter.op === 'eq');
  if (filter.op === 'co') return one.includes(other);
  if (filter.op === 'sw') return one.startsWith(other);
  return filter.op === 'ew' && one.endsWith(other);
}

/** Values that the filter selects: of addresses, the one that is stored. Others are accepted and not stored. */
function patchSelected(
  draft: Draft,
  { attribute, filter, subAttribute }: AttributePath & { filter: Filter | null },
  op: PatchOperation['op'],
  value: unknown,
  unknown: (name: string) => ScimError,
): void {
  if (attribute !== 'emails') {
    if (!isIgnored(attribute)) throw unknown(attribute);
    return;
  }
  const type = filter?.op === 'eq' && filter.path === 'type' ? String(filter.value).toLowerCase() : null;
  if (
    filter &&
    !selects(filter, { value: draft.email?.value, type: draft.email?.type ?? type, primary: true })
  )
    return;
  if (op === 'remove') draft.email = null;
  else if (subAttribute === null || subAttribute === 'value') {
    const address = isObject(value) ? attributesOf(value).get('value') : value;
    draft.email = { value: readEmail(address), type: draft.email?.type ?? type };
  }
}
