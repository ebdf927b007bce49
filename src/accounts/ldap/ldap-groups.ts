/** The groups of a person and, level by level, the groups that contain these. */
import type { Entry, Filter } from 'ldapts';
import type { LdapConfig } from './ldap-config.ts';
import type { Library } from './ldap-connection.ts';
import { bytesOf, readDn, valuesOf } from './ldap-person.ts';

export const groupLimits = {
  /** The groups of one person, groups in groups included. */
  groups: 1_000,
  /** Levels of groups within groups. */
  depth: 10,
  /** Entries in one search. */
  atOnce: 50,
} as const;

interface Parts {
  config: LdapConfig;
  library: Library;
  /** Finds groups with these attributes; null if there are more than `groupLimits.groups`. */
  findGroups(filter: Filter, attributes: readonly string[]): Promise<Entry[] | null>;
}

/** Null if they are not all known: the directory cut a list, or there are too many. */
type FindGroups = (person: Entry) => Promise<string[] | null>;
/** Returns the groups whose members these entries are; null if they are not all known. */
type FindParents = (level: readonly Entry[]) => Promise<Entry[] | null>;

/** What a person's entry needs in Active Directory, where it names the groups itself. */
export const activeDirectoryAttributes = ['memberOf', 'primaryGroupID', 'objectSid'] as const;

/** `findParents` remembers groups, so one walk serves all people of a synchronization. */
export function createGroupWalk(parts: Parts): FindGroups {
  const { isActiveDirectory, attributes } = parts.config;
  const [name = 'dn'] = attributes.group;
  const findParents = isActiveDirectory ? createNamedParents(parts, name) : createListedParents(parts, name);
  const nameOf = (group: Entry) => (name === 'dn' ? [readDn(group.dn)] : valuesOf(group, name).slice(0, 1));
  return async (person) => {
    // A group that was seen is not followed again, so cycles end.
    const known = new Map<string, Entry>();
    for (let level: readonly Entry[] = [person], depth = 0; level.length > 0; depth++) {
      const parents = await findParents(level);
      if (!parents) return null;
      level = parents.filter((group) => {
        const key = readDn(group.dn);
        return !known.has(key) && known.set(key, group);
      });
      if (known.size > groupLimits.groups || (level.length > 0 && depth === groupLimits.depth)) return null;
    }
    return [...known.values()].flatMap(nameOf);
  };
}

/** Groups that list the entries as members. */
function createListedParents({ library, findGroups }: Parts, name: string): FindParents {
  const attributes = name === 'dn' ? ['1.1'] : [name];
  return async (level) => {
    const found: Entry[] = [];
    for (const batch of batches(level)) {
      const filters = batch.flatMap((entry) => [
        equals(library, 'member', entry.dn),
        equals(library, 'uniqueMember', entry.dn),
        // Groups have none, because it is read of people alone.
        ...valuesOf(entry, 'uid')
          .slice(0, 1)
          .map((uid) => equals(library, 'memberUid', uid)),
      ]);
      const groups = await findGroups(new library.OrFilter({ filters }), attributes);
      if (!groups) return null;
      found.push(...groups);
    }
    return found;
  };
}

/**
 * Groups that the entries name in `memberOf`, and the primary group, which is named nowhere else. Lists of members are not read:
 * Active Directory cuts them after 1,500 values.
 */
function createNamedParents({ library, findGroups }: Parts, name: string): FindParents {
  const attributes = ['memberOf', 'objectSid', ...(name === 'dn' ? [] : [name])];
  /** Null for one that is outside the base DN, or does not match the filter. */
  const groups = new Map<string, Entry | null>();
  return async (level) => {
    if (level.some(isCut)) return null;
    const named = new Map<string, Filter>();
    for (const entry of level) {
      for (const dn of valuesOf(entry, 'memberOf'))
        named.set(readDn(dn), equals(library, 'distinguishedName', dn));
      const sid = primaryGroupOf(entry);
      if (sid) named.set(sid.toString('hex'), equals(library, 'objectSid', sid));
    }
    for (const batch of batches([...named].filter(([key]) => !groups.has(key)))) {
      const filter = new library.OrFilter({ filters: batch.map(([, one]) => one) });
      const found = await findGroups(filter, attributes);
      if (!found) return null;
      for (const [key] of batch) groups.set(key, null);
      for (const group of found)
        for (const key of [readDn(group.dn), bytesOf(group, 'objectSid')?.toString('hex') ?? ''])
          groups.set(key, group);
    }
    return [...named.keys()].map((key) => groups.get(key) ?? null).filter((group) => group !== null);
  };
}

/** Whether the directory returned only a part of the list, such as `memberOf;range=0-1499` (MS-ADTS, section 3.1.1.3.1.3.3). */
const isCut = (entry: Entry) => Object.keys(entry).some((key) => /^memberOf;range=/i.test(key));

/** The person's SID with the last part (MS-DTYP, section 2.4.2.2) replaced. */
function primaryGroupOf(entry: Entry): Buffer | null {
  const sid = bytesOf(entry, 'objectSid');
  const relative = Number(valuesOf(entry, 'primaryGroupID')[0]);
  if (!sid || sid.length < 12 || !Number.isInteger(relative) || relative < 0 || relative > 0xffffffff)
    return null;
  const changed = Buffer.from(sid);
  changed.writeUInt32LE(relative, sid.length - 4);
  return changed;
}

/** Values are encoded as octets, never as text of a filter, so nothing in them has to be escaped. */
export const equals = (library: Library, attribute: string, value: string | Buffer) =>
  new library.EqualityFilter({ attribute, value });

function batches<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / groupLimits.atOnce);
  return Array.from({ length: count }, (_, at) =>
    all.slice(at * groupLimits.atOnce, (at + 1) * groupLimits.atOnce),
  );
}
