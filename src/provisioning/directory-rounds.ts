/**
 * Looks regularly for people who left the directory (LDAP), whose accounts it disables, and for their groups. Nobody is
 * deactivated unless the directory answered completely, named at least one person, and does not name this person when asked again; and
 * no more than a share of the linked people at once.
 */
import { accountStateQueries } from '../accounts/access/account-state-queries.ts';
import type { LdapConfig } from '../accounts/ldap/ldap-config.ts';
import type { DirectoryReader, LdapDirectory } from '../accounts/ldap/ldap-directory.ts';
import type { LdapPerson } from '../accounts/ldap/ldap-person.ts';
import type { GroupClaims } from '../accounts/single-sign-on/group-claims.ts';
import { type IdentityHolder, identityQueries } from '../accounts/single-sign-on/identity-queries.ts';
import { ProviderError } from '../accounts/single-sign-on/oidc-provider.ts';
import { ldapIssuer } from '../accounts/single-sign-on/provider-identity.ts';
import type { Connection, Data } from '../db/data.ts';
import { installation, type JobHandlers } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { claimedGroupQueries } from './claimed-group-queries.ts';
import { disableAccountOf, enableAccountOf } from './deactivation.ts';
import { ScimError } from './scim/scim.ts';

interface Deps {
  data: Data;
  ldap: LdapDirectory | null;
  config: Pick<LdapConfig, 'syncIntervalMs' | 'maxDeactivatedPercent'> | null;
  groups: GroupClaims;
  now: () => number;
  log: { warn(fields: object, message: string): void };
}

/** One departure is always plausible, however few people there are. */
const alwaysPlausible = 1;

/** Schedules the round of an interval once, no matter how many nodes request it. */
export async function scheduleDirectoryRound({ data, config, now }: Deps, isFirst: boolean): Promise<void> {
  const interval = config?.syncIntervalMs;
  if (!interval) return;
  const number = Math.floor(now() / interval) + (isFirst ? 0 : 1);
  const runAt = isFirst ? now() : number * interval;
  await outboxQueries(data).addOnce(
    `directory-${number}`,
    installation,
    { kind: 'directory-round' },
    now(),
    runAt,
  );
}

export function createDirectoryRound(deps: Deps): JobHandlers['directory-round'] {
  const { ldap, log } = deps;
  return async () => {
    await scheduleDirectoryRound(deps, false);
    if (!ldap || !deps.config?.syncIntervalMs) return;
    try {
      await ldap.read((reader) => synchronize(deps, reader));
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      log.warn({ reason: error.message }, 'the directory could not be read; nobody was deactivated');
    }
  };
}

async function synchronize(deps: Deps, reader: DirectoryReader): Promise<void> {
  const { data, groups } = deps;
  const linked = await identityQueries(data).listHolders(ldapIssuer);
  if (linked.length === 0) return;
  const listed = await reader.listPeople();
  const people = new Map(listed.map((person) => [person.identity.subject, person]));
  const isGone = (person: LdapPerson | null | undefined) => !person || person.isDisabled;
  const missing = linked.filter(({ subject }) => isGone(people.get(subject)));
  await deactivateMissing(deps, reader, { missing, linked: linked.length, listed: listed.length });
  const claimant = { source: 'ldap' } as const;
  const readsGroups = await claimedGroupQueries(data).hasAny('ldap');
  for (const holder of linked) {
    const person = people.get(holder.subject);
    if (!person || person.isDisabled) continue;
    if (holder.isDisabledByDirectory) await restore(deps, holder);
    if (readsGroups)
      await groups.apply(
        holder.user,
        claimant,
        await groups.assigned(claimant, await reader.groupsOf(person)),
      );
  }
}

async function deactivateMissing(
  deps: Deps,
  reader: DirectoryReader,
  { missing, linked, listed }: { missing: readonly IdentityHolder[]; linked: number; listed: number },
): Promise<void> {
  const leaving = missing.filter((holder) => !holder.isDisabled);
  const share = ((deps.config?.maxDeactivatedPercent ?? 0) / 100) * linked;
  if (leaving.length === 0) return;
  if (listed === 0 || leaving.length > Math.max(share, alwaysPlausible)) {
    const counts = { listed, linked, missing: leaving.length };
    deps.log.warn(counts, 'too many people are missing in the directory; nobody was deactivated');
    return;
  }
  for (const holder of leaving) {
    const found = await reader.findPerson(holder.subject);
    if (found && !found.isDisabled) continue;
    await end(deps, holder);
  }
}

async function end(deps: Deps, holder: IdentityHolder): Promise<void> {
  const { user } = holder;
  try {
    await deps.data.transaction(async (tx) => {
      const change = { by: 'system', at: deps.now(), details: { directory: deps.ldap?.name } } as const;
      const isDisabled = await disableAccountOf(tx, change, { user, disabledAccount: false });
      await identityQueries(tx).setDisabledByDirectory(ldapIssuer, holder.subject, isDisabled);
    });
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    deps.log.warn({ user: user.name, reason: error.message }, 'a person who left the directory stays');
  }
}

async function restore(deps: Deps, { user, subject }: IdentityHolder): Promise<void> {
  await deps.data.transaction(async (tx: Connection) => {
    const change = { by: 'system', at: deps.now(), details: { directory: deps.ldap?.name } } as const;
    if ((await accountStateQueries(tx).lock(user.id))?.isDisabled) await enableAccountOf(tx, change, user);
    await identityQueries(tx).setDisabledByDirectory(ldapIssuer, subject, false);
  });
}
