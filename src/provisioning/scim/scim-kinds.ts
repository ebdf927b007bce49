/** People and groups as the routes see them: both are found, changed and shown in the same way. */
import type { Expected } from '../change-directory.ts';
import type { Directory, ListRequest, ListResult, ScimUser } from './scim.ts';
import { type JsonObject, patchUser, readPatch, readUser } from './scim-attributes.ts';
import { readGroup, readGroupChanges } from './scim-group-attributes.ts';
import type { ScimGroups, ScimGroupWithMembers } from './scim-groups.ts';
import { groupJson, type Selection, selectAttributes, selects, userJson } from './scim-json.ts';
import type { ScimUsers } from './scim-users.ts';

export interface ScimKind<Resource extends { id: string; version: number }> {
  path: 'Users' | 'Groups';
  summaries: Record<'list' | 'create' | 'show' | 'replace' | 'change' | 'remove', string>;
  list(directory: Directory, asked: ListRequest, selection: Selection): Promise<ListResult<Resource>>;
  find(directory: Directory, id: string, selection: Selection): Promise<Resource>;
  create(directory: Directory, body: JsonObject): Promise<Resource>;
  replace(directory: Directory, id: string, expected: Expected, body: JsonObject): Promise<Resource>;
  change(directory: Directory, id: string, expected: Expected, body: JsonObject): Promise<Resource>;
  remove(directory: Directory, id: string, expected: Expected): Promise<void>;
  json(resource: Resource, base: string): Record<string, unknown>;
  /** Whether a change is answered without a body. */
  changesSilently: boolean;
}

export const userKind = (users: ScimUsers): ScimKind<ScimUser> => ({
  path: 'Users',
  summaries: {
    list: 'List the people of a directory (SCIM)',
    create: 'Create a person in a directory (SCIM)',
    show: 'Show a person of a directory (SCIM)',
    replace: 'Replace the attributes of a person of a directory (SCIM)',
    change: 'Change attributes of a person of a directory (SCIM)',
    remove: 'Deactivate a person and remove them from a directory (SCIM)',
  },
  list: users.list,
  find: users.find,
  create: (directory, body) => users.create(directory, readUser(body)),
  replace: (directory, id, expected, body) => {
    const attributes = readUser(body);
    return users.change(directory, id, expected, () => attributes);
  },
  change: (directory, id, expected, body) => {
    const operations = readPatch(body);
    return users.change(directory, id, expected, (user) => patchUser(user, operations));
  },
  remove: users.remove,
  json: userJson,
  changesSilently: false,
});

const withMembers = (selection: Selection) => selects(selection, 'members');

export const groupKind = (groups: ScimGroups): ScimKind<ScimGroupWithMembers> => ({
  path: 'Groups',
  summaries: {
    list: 'List the groups of a directory (SCIM)',
    create: 'Create a group in a directory (SCIM)',
    show: 'Show a group of a directory (SCIM)',
    replace: 'Replace a group of a directory (SCIM)',
    change: 'Change a group of a directory or its members (SCIM)',
    remove: 'Delete a group of a directory (SCIM)',
  },
  list: (directory, asked, selection) => groups.list(directory, asked, withMembers(selection)),
  find: (directory, id, selection) => groups.find(directory, id, withMembers(selection)),
  create: (directory, body) => groups.create(directory, readGroup(body)),
  replace: (directory, id, expected, body) => groups.replace(directory, id, expected, readGroup(body)),
  change: async (directory, id, expected, body) => {
    const changes = readGroupChanges(readPatch(body));
    return { ...(await groups.change(directory, id, expected, changes)), members: null };
  },
  remove: groups.remove,
  json: groupJson,
  // A group can have thousands of members.
  changesSilently: true,
});

interface Query {
  directory: Directory;
  base: string;
  asked: ListRequest;
  selection: Selection;
}
export interface Found {
  total: number;
  resources: Record<string, unknown>[];
}
export type Search = (query: Query) => Promise<Found>;

/** Lists resources of the kind, with the attributes that were asked for. */
export const searchIn =
  <Resource extends { id: string; version: number }>({ list, json }: ScimKind<Resource>): Search =>
  async ({ directory, base, asked, selection }) => {
    const { total, resources } = await list(directory, asked, selection);
    return { total, resources: resources.map((one) => selectAttributes(json(one, base), selection)) };
  };
