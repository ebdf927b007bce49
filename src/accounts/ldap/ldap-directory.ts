/** A directory (LDAP): finds people, checks their passwords, and lists them and their groups. Referrals are never followed. */
import type { Client, Entry, Filter } from 'ldapts';
import type { ProviderIdentity } from '../single-sign-on/provider-identity.ts';
import type { LdapConfig } from './ldap-config.ts';
import { type LdapConnection, type Library, ldapTimes, withConnection } from './ldap-connection.ts';
import { type LdapPerson, personOf, readDn, valuesOf } from './ldap-person.ts';

export interface LdapDirectory {
  name: string;
  /**
   * Returns the person with that login, or with that identity, and that password; null for a wrong one. `beforePassword` is called
   * before the password is checked. Throws `ProviderError` if the directory cannot answer.
   */
  authenticate(
    who: { login: string } | { subject: string },
    password: string,
    beforePassword?: (identity: ProviderIdentity) => Promise<void>,
  ): Promise<ProviderIdentity | null>;
  /** Runs `work` with a reader of people and their groups. Throws `ProviderError`. */
  read<T>(work: (reader: DirectoryReader) => Promise<T>): Promise<T>;
}

export interface DirectoryReader {
  /** Returns all people, in pages (RFC 2696). Rejects unless the answer is complete. */
  listPeople(): Promise<LdapPerson[]>;
  findPerson(subject: string): Promise<LdapPerson | null>;
  groupsOf(person: LdapPerson): Promise<string[] | null>;
}

export const ldapLimits = {
  people: 100_000,
  pageSize: 500,
  /** Groups of one person, groups in groups included. */
  groups: 1_000,
  /** Levels of groups within groups. */
  depth: 10,
  /** Groups in one search for their parents. */
  parentsAtOnce: 50,
  loginLength: 254,
  passwordLength: 1_024,
} as const;

/** The time limit of a whole synchronization. */
const readMs = 10 * 60_000;

/** The password is wrong, or may not be used: invalidCredentials and what servers answer for locked or missing ones. */
const wrongPassword: ReadonlySet<unknown> = new Set([19, 32, 48, 49, 50, 53]);
/** LDAP_MATCHING_RULE_IN_CHAIN of Active Directory. */
const inChain = '1.2.840.113556.1.4.1941';

export function createLdapDirectory(
  config: LdapConfig,
  log: { warn(fields: object, message: string): void },
): LdapDirectory {
  const open = <T>(ms: number, work: (search: Search) => Promise<T>): Promise<T> =>
    withConnection(config, ms, async (connection, library) => {
      const search = createSearch(config, connection, library);
      await search.bindReader();
      return work(search);
    });
  return {
    name: config.name,
    authenticate: async (who, password, beforePassword) => {
      // A bind with an empty password succeeds for anyone (RFC 4513, section 5.1.2).
      if (password === '' || password.length > ldapLimits.passwordLength) return null;
      if ('login' in who && (who.login === '' || who.login.length > ldapLimits.loginLength)) return null;
      return open(ldapTimes.signInMs, async (search) => {
        const found = await search.people(
          'login' in who ? search.byLogin(who.login) : search.byId(who.subject),
          2,
        );
        if (found.length > 1)
          log.warn({ found: found.length }, 'a login names several entries of the directory');
        const [entry, ...others] = found;
        const person = entry && personOf(config, entry);
        if (!entry || !person || others.length > 0 || person.isDisabled || entry.dn === '') return null;
        await beforePassword?.(person.identity);
        if (!(await search.bindsAs(entry.dn, password))) return null;
        await search.bindReader();
        return { ...person.identity, groups: await search.groupsOf(entry) };
      });
    },
    read: (work) =>
      open(readMs, async (search) => {
        const entries = new Map<LdapPerson, Entry>();
        const toPerson = (entry: Entry) => {
          const person = personOf(config, entry);
          if (person) entries.set(person, entry);
          return person;
        };
        return work({
          listPeople: async () => (await search.everyone()).map(toPerson).filter((person) => person !== null),
          findPerson: async (subject) => {
            const [entry] = await search.people(search.byId(subject), 2);
            return entry ? toPerson(entry) : null;
          },
          groupsOf: async (person) => {
            const entry = entries.get(person);
            return entry ? search.groupsOf(entry) : null;
          },
        });
      }),
  };
}

type Search = ReturnType<typeof createSearch>;

function createSearch(config: LdapConfig, { operation }: LdapConnection, library: Library) {
  const { attributes, baseDn, isActiveDirectory, reader } = config;
  const { AndFilter, EqualityFilter, ExtensibleFilter, FilterParser, OrFilter } = library;
  // Values are encoded as octets, never as text of a filter, so nothing in them has to be escaped.
  const equals = (attribute: string, value: string | Buffer) => new EqualityFilter({ attribute, value });
  const all = (filters: Filter[]) => new AndFilter({ filters });
  const any = (filters: Filter[]) => new OrFilter({ filters });
  const userFilter = FilterParser.parseString(config.userFilter);
  const groupFilter = FilterParser.parseString(config.groupFilter);
  const [id = ''] = attributes.id;
  const [groupName = 'dn'] = attributes.group;
  const personAttributes = [
    ...new Set([
      ...attributes.login,
      id,
      ...attributes.email,
      ...attributes.name,
      'userAccountControl',
      'uid',
    ]),
  ];
  const personOptions = {
    scope: 'sub' as const,
    attributes: personAttributes,
    explicitBufferAttributes: isActiveDirectory ? [id] : [],
  };
  const find = async (base: string, options: Parameters<Client['search']>[1], limit: number) => {
    const { searchEntries } = await operation((client) =>
      client.search(base, { ...options, sizeLimit: limit, timeLimit: ldapTimes.operationMs / 1000 }),
    );
    return searchEntries;
  };
  const findGroups = async (filter: Filter) => {
    const options = {
      scope: 'sub',
      filter: all([groupFilter, filter]),
      attributes: groupName === 'dn' ? ['1.1'] : [groupName],
    } as const;
    const found: Entry[] = [];
    for await (const page of pages(operation, config.groupBaseDn, options)) {
      found.push(...page);
      if (found.length > ldapLimits.groups) return null;
    }
    return found;
  };
  /** Null if there are too many. Level by level; a group that was seen is not followed again, so cycles end. */
  const climb = async (entry: Entry): Promise<Entry[] | null> => {
    if (isActiveDirectory)
      return findGroups(new ExtensibleFilter({ matchType: 'member', rule: inChain, value: entry.dn }));
    const [uid] = valuesOf(entry, 'uid');
    const known = new Map<string, Entry>();
    let level = [entry.dn];
    for (let depth = 0; level.length > 0; depth++) {
      if (depth === ldapLimits.depth) return null;
      const next: string[] = [];
      for (let at = 0; at < level.length; at += ldapLimits.parentsAtOnce) {
        const batch = level.slice(at, at + ldapLimits.parentsAtOnce);
        const named = batch.flatMap((dn) => [equals('member', dn), equals('uniqueMember', dn)]);
        const found = await findGroups(
          any(depth === 0 && uid ? [...named, equals('memberUid', uid)] : named),
        );
        if (!found) return null;
        for (const group of found.filter(({ dn }) => !known.has(readDn(dn)))) {
          known.set(readDn(group.dn), group);
          next.push(group.dn);
        }
        if (known.size > ldapLimits.groups) return null;
      }
      level = next;
    }
    return [...known.values()];
  };
  return {
    bindReader: () =>
      reader ? operation((client) => client.bind(reader.dn, reader.password)) : Promise.resolve(),
    bindsAs: async (dn: string, password: string): Promise<boolean> => {
      try {
        await operation((client) => client.bind(dn, password));
        return true;
      } catch (error) {
        if (wrongPassword.has((error as { code?: unknown }).code)) return false;
        throw error;
      }
    },
    byLogin: (login: string) => any(attributes.login.map((name) => equals(name, login))),
    byId: (subject: string) => equals(id, isActiveDirectory ? guidBytes(subject) : subject),
    people: (filter: Filter, limit: number) =>
      find(baseDn, { ...personOptions, filter: all([userFilter, filter]) }, limit),
    everyone: async (): Promise<Entry[]> => {
      const found: Entry[] = [];
      for await (const page of pages(operation, baseDn, { ...personOptions, filter: userFilter })) {
        found.push(...page);
        if (found.length > ldapLimits.people)
          throw new Error(`too many people, the limit is ${ldapLimits.people}`);
      }
      return found;
    },
    /** Null if they could not all be read. */
    groupsOf: async (entry: Entry): Promise<string[] | null> => {
      const found = await climb(entry);
      if (!found) return null;
      if (groupName === 'dn') return found.map(({ dn }) => readDn(dn));
      return found.flatMap((group) => valuesOf(group, groupName).slice(0, 1));
    },
  };
}

async function* pages(
  operation: LdapConnection['operation'],
  base: string,
  options: Parameters<Client['search']>[1],
): AsyncGenerator<Entry[]> {
  const paged = { pageSize: ldapLimits.pageSize };
  const results = await operation(async (client) => client.searchPaginated(base, { ...options, paged }));
  for (;;) {
    const { value, done } = await operation(() => results.next());
    if (done) return;
    yield value.searchEntries;
  }
}

/** The first three groups of a GUID are stored with their bytes reversed (MS-DTYP, section 2.3.4). */
function guidBytes(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  if (bytes.length !== 16) return bytes;
  return Buffer.concat([
    bytes.subarray(0, 4).reverse(),
    bytes.subarray(4, 6).reverse(),
    bytes.subarray(6, 8).reverse(),
    bytes.subarray(8),
  ]);
}
