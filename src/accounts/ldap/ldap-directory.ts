/** A directory (LDAP): finds people, checks their passwords, and lists them and their groups. Referrals are never followed. */
import type { Client, Entry, Filter } from 'ldapts';
import type { ProviderIdentity } from '../single-sign-on/provider-identity.ts';
import type { LdapConfig } from './ldap-config.ts';
import { type LdapConnection, type Library, ldapTimes, withConnection } from './ldap-connection.ts';
import { activeDirectoryAttributes, createGroupWalk, equals, groupLimits } from './ldap-groups.ts';
import { type LdapPerson, personOf } from './ldap-person.ts';
import { type Denial, type Refusal, refusalOf, windowsErrorOf } from './ldap-refusals.ts';

export interface LdapDirectory {
  name: string;
  /**
   * Finds the person with that login, or with that identity, and that password. `beforePassword` is called before the password is
   * checked. Throws `ProviderError` if the directory cannot answer.
   */
  authenticate(
    who: { login: string } | { subject: string },
    password: string,
    beforePassword?: (identity: ProviderIdentity) => Promise<void>,
  ): Promise<Authenticated>;
  /** Returns how many people it has. Throws `ProviderError`. */
  countPeople(): Promise<number>;
  /** Runs `work` with a reader of people and their groups. Throws `ProviderError`. */
  read<T>(work: (reader: DirectoryReader) => Promise<T>): Promise<T>;
}

/** `denied`: the password is right, and the directory refuses it nevertheless. */
export type Authenticated =
  | { kind: 'known'; identity: ProviderIdentity }
  | { kind: 'wrong' }
  | { kind: 'denied'; why: Denial };

export interface DirectoryReader {
  /** Returns all people, in pages (RFC 2696). Rejects unless the answer is complete. */
  listPeople(): Promise<LdapPerson[]>;
  findPerson(subject: string): Promise<LdapPerson | null>;
  groupsOf(person: LdapPerson): Promise<string[] | null>;
}

export const ldapLimits = {
  people: 100_000,
  pageSize: 500,
  loginLength: 254,
  passwordLength: 1_024,
} as const;

/** The time limit of a whole synchronization. */
const readMs = 10 * 60_000;
/** Someone waits for it. */
const countMs = 60_000;

const wrong = { kind: 'wrong' } as const;

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
      if (password === '' || password.length > ldapLimits.passwordLength) return wrong;
      if ('login' in who && (who.login === '' || who.login.length > ldapLimits.loginLength)) return wrong;
      return open(ldapTimes.signInMs, async (search) => {
        const found = await search.people(
          'login' in who ? search.byLogin(who.login) : search.byId(who.subject),
          2,
        );
        if (found.length > 1)
          log.warn({ found: found.length }, 'a login names several entries of the directory');
        const [entry, ...others] = found;
        const person = entry && personOf(config, entry);
        if (!entry || !person || others.length > 0 || entry.dn === '') return wrong;
        const { identity } = person;
        await beforePassword?.(identity);
        const refusal = await search.bindAs(entry.dn, password);
        if (refusal?.reason)
          log.warn({ reason: refusal.reason, subject: identity.subject }, 'the directory refuses a person');
        if (refusal) return refusal.denial ? { kind: 'denied', why: refusal.denial } : wrong;
        if (person.isDisabled) return { kind: 'denied', why: 'account-disabled' };
        await search.bindReader();
        return { kind: 'known', identity: { ...identity, groups: await search.groupsOf(entry) } };
      });
    },
    countPeople: () =>
      open(countMs, async (search) => {
        const found = await search.everyone();
        return found.filter((entry) => personOf(config, entry) !== null).length;
      }),
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
  const { AndFilter, FilterParser, OrFilter } = library;
  const all = (filters: Filter[]) => new AndFilter({ filters });
  const any = (filters: Filter[]) => new OrFilter({ filters });
  const userFilter = FilterParser.parseString(config.userFilter);
  const groupFilter = FilterParser.parseString(config.groupFilter);
  const [id = ''] = attributes.id;
  const personAttributes = [
    ...new Set([
      ...attributes.login,
      id,
      ...attributes.email,
      ...attributes.name,
      ...(isActiveDirectory ? ['userAccountControl', ...activeDirectoryAttributes] : ['uid']),
    ]),
  ];
  const personOptions = {
    scope: 'sub' as const,
    attributes: personAttributes,
    explicitBufferAttributes: isActiveDirectory ? [id, 'objectSid'] : [],
  };
  const find = async (base: string, options: Parameters<Client['search']>[1], limit: number) => {
    const { searchEntries } = await operation((client) =>
      client.search(base, { ...options, sizeLimit: limit, timeLimit: ldapTimes.operationMs / 1000 }),
    );
    return searchEntries;
  };
  const findGroups = async (filter: Filter, wanted: readonly string[]) => {
    const options = {
      scope: 'sub' as const,
      filter: all([groupFilter, filter]),
      attributes: [...wanted],
      explicitBufferAttributes: ['objectSid'],
    };
    const found: Entry[] = [];
    for await (const page of pages(operation, config.groupBaseDn, options)) {
      found.push(...page);
      if (found.length > groupLimits.groups) return null;
    }
    return found;
  };
  return {
    bindReader: async () => {
      if (!reader) return;
      await operation((client) => client.bind(reader.dn, reader.password)).catch((error: unknown) => {
        const reason = error instanceof Error && windowsErrorOf(error)?.reason;
        throw reason ? new Error(`SLIPWAY_LDAP_BIND_DN: ${reason}`, { cause: error }) : error;
      });
    },
    /** Returns null if the password is right. */
    bindAs: async (dn: string, password: string): Promise<Refusal | null> => {
      try {
        await operation((client) => client.bind(dn, password));
        return null;
      } catch (error) {
        const refusal = refusalOf(error);
        if (!refusal) throw error;
        return refusal;
      }
    },
    byLogin: (login: string) => any(attributes.login.map((name) => equals(library, name, login))),
    byId: (subject: string) => equals(library, id, isActiveDirectory ? guidBytes(subject) : subject),
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
    groupsOf: createGroupWalk({ config, library, findGroups }),
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
