/** Reads groups and the operations of PATCH on them from JSON. */
import { type Filter, invalidValue, ScimError, schemaIds, scimLimits } from './scim.ts';
import {
  attributesOf,
  isIgnored,
  type JsonObject,
  type PatchOperation,
  readText,
  requireSchema,
} from './scim-attributes.ts';
import { parsePath } from './scim-filter.ts';

export interface GroupAttributes {
  displayName: string;
  externalId: string | null;
  /** Ids of users, without duplicates. */
  members: readonly string[];
}

/** A step of a PATCH. `keep` removes everyone else. */
export type GroupChange =
  | { kind: 'attributes'; attributes: Partial<Pick<GroupAttributes, 'displayName' | 'externalId'>> }
  | { kind: 'add' | 'remove' | 'keep'; members: readonly string[] }
  | { kind: 'remove-all' };

/** Throws `invalidSyntax` for attributes that no schema has, and `invalidValue`. */
export function readGroup(body: JsonObject): GroupAttributes {
  const given = attributesOf(body);
  requireSchema(given.get('schemas'), schemaIds.group);
  for (const name of given.keys())
    if (!['displayname', 'externalid', 'members'].includes(name) && !isIgnored(name))
      throw new ScimError('invalidSyntax', `unknown attribute: ${name.slice(0, 100)}`);
  return {
    displayName: readDisplayName(given.get('displayname')),
    externalId: readText(given.get('externalid'), 'externalId'),
    members: readMembers(given.get('members') ?? []),
  };
}

function readDisplayName(value: unknown): string {
  const name = readText(value, 'displayName');
  if (name === null) throw invalidValue('displayName is required');
  return name;
}

function readMembers(value: unknown): string[] {
  const given = Array.isArray(value) ? value : [value];
  if (given.length > scimLimits.membersOfRequest)
    throw new ScimError('tooMany', `more than ${scimLimits.membersOfRequest} members in one request`);
  const ids = given.map((one) => {
    const fields = typeof one === 'object' && one !== null ? attributesOf(one as JsonObject) : new Map();
    const id = fields.get('value');
    if (typeof id !== 'string' || id === '') throw invalidValue('a member needs the id of a user in value');
    if (String(fields.get('type') ?? 'User').toLowerCase() !== 'user')
      throw invalidValue('members are users: groups in groups are not supported');
    return id;
  });
  return [...new Set(ids)];
}

/** Returns the steps of PATCH operations, in their order. */
export function readGroupChanges(operations: readonly PatchOperation[]): GroupChange[] {
  const changes = operations.flatMap((operation) => {
    if (operation.path !== null) return changeAt(operation.path, operation);
    const given = [...attributesOf(operation.value as JsonObject)];
    return given.flatMap(([path, value]) => changeAt(path, { ...operation, value }));
  });
  const members = changes.reduce((sum, one) => sum + ('members' in one ? one.members.length : 0), 0);
  if (members > scimLimits.membersOfRequest)
    throw new ScimError('tooMany', `more than ${scimLimits.membersOfRequest} members in one request`);
  return changes;
}

function changeAt(path: string, { op, value }: PatchOperation): GroupChange[] {
  if (path.toLowerCase().startsWith('urn:') && isIgnored(path.toLowerCase())) return [];
  const { attribute, filter } = parsePath(path);
  if (attribute === 'members') {
    if (filter) return [selectedChange(filter, op)];
    if (op === 'add') return [{ kind: 'add', members: readMembers(value) }];
    if (op === 'replace') {
      const members = readMembers(value);
      return [
        { kind: 'keep', members },
        { kind: 'add', members },
      ];
    }
    // Entra ID lists the members to remove in the value.
    return value === undefined || value === null
      ? [{ kind: 'remove-all' }]
      : [{ kind: 'remove', members: readMembers(value) }];
  }
  if (attribute === 'displayname') {
    if (op === 'remove') throw new ScimError('mutability', 'displayName cannot be removed');
    return [{ kind: 'attributes', attributes: { displayName: readDisplayName(value) } }];
  }
  if (attribute === 'externalid') {
    const externalId = op === 'remove' ? null : readText(value, 'externalId');
    return [{ kind: 'attributes', attributes: { externalId } }];
  }
  if (isIgnored(attribute)) return [];
  throw new ScimError('invalidPath', `unknown attribute: ${attribute.slice(0, 100)}`);
}

/** `members[value eq "…"]`, also with several values. */
function selectedChange(filter: Filter, op: PatchOperation['op']): GroupChange {
  if (op !== 'remove') throw new ScimError('invalidPath', `${op} with a filter of members is not supported`);
  return { kind: 'remove', members: valuesIn(filter) };
}

function valuesIn(filter: Filter): string[] {
  if ('parts' in filter && filter.op === 'or') return filter.parts.flatMap(valuesIn);
  if (filter.op === 'eq' && filter.path === 'value' && typeof filter.value === 'string')
    return [filter.value];
  throw new ScimError('invalidPath', 'members are selected by value eq "id"');
}
