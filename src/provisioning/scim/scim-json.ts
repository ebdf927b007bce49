/** Resources and messages of SCIM as JSON. */
import { type ScimGroup, type ScimMember, type ScimType, type ScimUser, schemaIds } from './scim.ts';
import { plainPath } from './scim-filter.ts';

type Json = Record<string, unknown>;

export const versionTag = (version: number) => `W/"${version}"`;

const metaOf = (
  resourceType: string,
  location: string,
  { createdAt, updatedAt, version }: { createdAt: number; updatedAt: number; version: number },
) => ({
  resourceType,
  created: new Date(createdAt).toISOString(),
  lastModified: new Date(updatedAt).toISOString(),
  location,
  version: versionTag(version),
});

const present = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** `base`: the absolute address of the directory. */
export function userJson(user: ScimUser, base: string): Json {
  const name = present({
    formatted: user.formattedName,
    familyName: user.familyName,
    givenName: user.givenName,
  });
  return present({
    schemas: [schemaIds.user],
    id: user.id,
    externalId: user.externalId,
    userName: user.userName,
    name: Object.keys(name).length > 0 ? name : null,
    displayName: user.displayName,
    emails: user.email && [present({ value: user.email.value, type: user.email.type, primary: true })],
    active: user.active,
    meta: metaOf('User', `${base}/Users/${user.id}`, user),
  });
}

/** `members`: null if they were not asked for. */
export function groupJson(group: ScimGroup & { members: readonly ScimMember[] | null }, base: string): Json {
  return present({
    schemas: [schemaIds.group],
    id: group.id,
    externalId: group.externalId,
    displayName: group.displayName,
    members: group.members?.map(({ id, userName }) => ({
      value: id,
      $ref: `${base}/Users/${id}`,
      type: 'User',
      display: userName,
    })),
    meta: metaOf('Group', `${base}/Groups/${group.id}`, group),
  });
}

export const listJson = (list: { total: number; startIndex: number; resources: readonly Json[] }) => ({
  schemas: [schemaIds.list],
  totalResults: list.total,
  startIndex: list.startIndex,
  itemsPerPage: list.resources.length,
  Resources: list.resources,
});

/** RFC 7644, section 3.12. */
export const errorJson = (status: number, detail: string, scimType?: ScimType) => ({
  schemas: [schemaIds.error],
  status: String(status),
  ...(scimType ? { scimType } : {}),
  detail,
});

/** Which attributes a client asks for (RFC 7644, section 3.9). Paths are in lower case. */
export interface Selection {
  only: readonly string[] | null;
  without: readonly string[];
}

export function readSelection(query: { attributes: string; excludedAttributes: string }): Selection {
  const only = listIn(query.attributes);
  return { only: only.length > 0 ? only : null, without: listIn(query.excludedAttributes) };
}

const listIn = (text: string) =>
  text
    .split(',')
    .map((path) => plainPath(path.trim()))
    .filter((path) => path !== '');

/** Whether a resource is to have the attribute. */
export const selects = ({ only, without }: Selection, attribute: string) =>
  !without.includes(attribute) && (only === null || only.some((path) => path.split('.')[0] === attribute));

/** These are always returned. */
const minimum = ['schemas', 'id'];

export function selectAttributes(resource: Json, selection: Selection): Json {
  const found: Json = {};
  for (const [name, value] of Object.entries(resource)) {
    const lower = name.toLowerCase();
    if (minimum.includes(lower)) found[name] = value;
    else if (selects(selection, lower)) found[name] = selectParts(value, lower, selection);
  }
  return found;
}

/** `attributes=name.familyName` asks for a part of a complex attribute. */
function selectParts(value: unknown, attribute: string, { only, without }: Selection): unknown {
  const part = (name: string) => `${attribute}.${name.toLowerCase()}`;
  const isWhole = only === null || only.includes(attribute);
  if (Array.isArray(value)) return value.map((one) => selectParts(one, attribute, { only, without }));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name]) => (isWhole || only.includes(part(name))) && !without.includes(part(name)),
    ),
  );
}
