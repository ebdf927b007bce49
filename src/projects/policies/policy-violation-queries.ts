import { type RawBuilder, sql } from 'kysely';
import { hasPasswordAlone } from '../../accounts/second-factor/password-alone-queries.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import { emailKey } from '../../owners/owner.ts';
import {
  isAllowedAddress,
  isAllowedEmail,
  isAllowedPerson,
  isBelowFloor,
  type PolicyName,
  type PolicyValues,
} from '../../owners/policies/policies.ts';
import { dayMs, effectiveRule, parseRule } from '../../owners/retention/retention.ts';
import { peopleOfWorkspace } from '../../owners/workspace-queries.ts';
import type { Violation } from './policy-violation.ts';

type Find<Name extends PolicyName> = (
  workspaceId: string,
  value: PolicyValues[Name],
  now: number,
) => Promise<Violation[]>;

/** People, keys, invitations, pages or apps that a review reads for one policy. */
export const maxReviewedRows = 20_000;

export const policyViolationQueries = defineQueries(createPolicyViolationQueries);

/** What violates each policy if it has that value, ordered by name. */
function createPolicyViolationQueries(db: Queries) {
  const isMember = (workspaceId: string, userId: RawBuilder<string>) =>
    sql<boolean>`${userId} in ${peopleOfWorkspace(workspaceId)}`;
  const members = (workspaceId: string) =>
    db
      .selectFrom('owners as o')
      .innerJoin('users as u', 'u.owner_id', 'o.id')
      .select(['o.name', 'u.email', 'u.email_confirmed'])
      .where('o.deleted_at', 'is', null)
      .where('u.disabled_at', 'is', null)
      .where(isMember(workspaceId, sql.ref('o.id')))
      .orderBy('o.name_key')
      .limit(maxReviewedRows);
  /** The keys that work, of the members and the Projects. */
  const keys = (workspaceId: string, now: number) =>
    db
      .selectFrom('api_keys as k')
      .innerJoin('owners as o', 'o.id', 'k.owner_id')
      .leftJoin('projects as p', 'p.owner_id', 'o.id')
      .select(['k.name', 'o.name as owner', 'k.last_used_network'])
      .where('k.revoked_at', 'is', null)
      .where('k.trusted_publisher_id', 'is', null)
      .where((where) => where.or([where('k.expires_at', 'is', null), where('k.expires_at', '>', now)]))
      .where((where) =>
        where.or([where('p.workspace_id', '=', workspaceId), isMember(workspaceId, sql.ref('o.id'))]),
      )
      .orderBy('o.name_key')
      .orderBy('k.id')
      .limit(maxReviewedRows);
  const apps = (workspaceId: string) =>
    db
      .selectFrom('apps as a')
      .innerJoin('owners as o', 'o.id', 'a.owner_id')
      .innerJoin('projects as p', 'p.owner_id', 'o.id')
      .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select(['a.package_name', 'a.platform', 'o.name as owner'])
      .where('w.id', '=', workspaceId)
      .where('a.deleted_at', 'is', null)
      .orderBy('o.name_key')
      .orderBy('a.package_name')
      .orderBy('a.platform')
      .limit(maxReviewedRows);
  const person = ({ name }: { name: string }, place: string | null = null): Violation => ({
    kind: 'person',
    name,
    place,
  });
  const ofKey = ({ name, owner }: { name: string; owner: string }): Violation => ({
    kind: 'key',
    name,
    place: owner,
  });
  const ofApp = (row: { package_name: string; platform: string; owner: string }): Violation => ({
    kind: 'app',
    name: row.package_name,
    place: `${row.owner} (${row.platform})`,
  });

  const finds: { [Name in PolicyName]: Find<Name> } = {
    secondFactor: async (workspaceId, required) => {
      if (!required) return [];
      return (await members(workspaceId).where(sql<boolean>`${hasPasswordAlone} = 1`).execute()).map((row) =>
        person(row),
      );
    },

    sessionHours: async (workspaceId, hours, now) => {
      if (hours === null) return [];
      const before = now - hours * 60 * 60_000;
      const rows = await members(workspaceId)
        .where((where) =>
          where.exists(
            where
              .selectFrom('sessions as s')
              .select('s.id')
              .whereRef('s.user_id', '=', 'o.id')
              .where('s.expires_at', '>', now)
              .where('s.created_at', '<=', before),
          ),
        )
        .execute();
      return rows.map((row) => person(row));
    },

    keyDays: async (workspaceId, days, now) => {
      if (days === null) return [];
      const before = now - days * dayMs;
      const rows = await keys(workspaceId, now)
        .where(sql<boolean>`coalesce(k.rotated_at, k.created_at) <= ${before}`)
        .execute();
      return rows.map(ofKey);
    },

    networks: async (workspaceId, networks, now) => {
      if (networks.length === 0) return [];
      const people = await members(workspaceId)
        .innerJoin('sessions as s', 's.user_id', 'o.id')
        .select('s.address')
        .distinct()
        .select('o.name_key')
        .where('s.expires_at', '>', now)
        .execute();
      const used = await keys(workspaceId, now).where('k.last_used_network', 'is not', null).execute();
      return [
        ...people
          .filter(({ address }) => !isAllowedAddress(networks, address))
          .map((row) => person(row, row.address)),
        ...used
          .filter(({ last_used_network: network }) => !isAllowedAddress(networks, addressIn(network)))
          .map(ofKey),
      ];
    },

    emailDomains: async (workspaceId, domains) => {
      if (domains.length === 0) return [];
      const people = await members(workspaceId).execute();
      const invited = await db
        .selectFrom('invitations as i')
        .leftJoin('users as u', 'u.owner_id', 'i.user_id')
        .select(['i.email as invited', 'u.email', 'u.email_confirmed'])
        .where('i.id', 'in', (inner) =>
          inner
            .selectFrom('invitations')
            .select('id')
            .where('workspace_id', '=', workspaceId)
            .union(
              db
                .selectFrom('projects as p')
                .innerJoin('invitations as j', 'j.project_id', 'p.owner_id')
                .select('j.id')
                .where('p.workspace_id', '=', workspaceId),
            ),
        )
        .where('i.used_at', 'is', null)
        .orderBy((order) => order.fn.coalesce('i.email', 'u.email'))
        .limit(maxReviewedRows)
        .execute();
      return [
        ...people
          .filter(
            ({ email, email_confirmed: confirmed }) =>
              !isAllowedPerson(domains, { email, emailConfirmed: confirmed === 1 }),
          )
          .map((row) => person(row, row.email)),
        ...invited.flatMap(({ invited: mailed, email, email_confirmed: confirmed }): Violation[] => {
          const name = mailed ?? email;
          const isAllowed =
            mailed === null
              ? isAllowedPerson(domains, { email, emailConfirmed: confirmed === 1 })
              : isAllowedEmail(domains, emailKey(mailed));
          return name === null || isAllowed ? [] : [{ kind: 'invitation', name, place: null }];
        }),
      ];
    },

    pageAccess: async (workspaceId, floor) => {
      const rows = await apps(workspaceId)
        .innerJoin('distribution_pages as d', 'd.app_id', 'a.id')
        .select(['d.name', 'd.access'])
        .orderBy('d.name')
        .execute();
      return rows
        .filter(({ access }) => isBelowFloor(access, floor))
        .map((row) => ({
          kind: 'page',
          name: row.name,
          place: `${row.owner}/${row.platform}/${row.package_name}`,
        }));
    },

    retentionDays: async (workspaceId, minDays) => {
      if (minDays === null) return [];
      const rows = await apps(workspaceId)
        .select(['a.retention as app', 'o.retention as of_owner', 'w.retention as of_workspace'])
        .execute();
      return rows
        .filter((row) => {
          const rules = {
            app: parseRule(row.app),
            owner: parseRule(row.of_owner),
            workspace: parseRule(row.of_workspace),
          };
          return effectiveRule(rules).rule.days !== effectiveRule({ ...rules, minDays }).rule.days;
        })
        .map(ofApp);
    },

    trustedPublishersOnly: async (workspaceId, required) => {
      if (!required) return [];
      const rows = await apps(workspaceId)
        .innerJoin('builds as b', (join) =>
          join.onRef('b.app_id', '=', 'a.id').onRef('b.revision', '=', 'a.last_revision'),
        )
        .where('b.source', 'is', null)
        .execute();
      return rows.map(ofApp);
    },
  };
  return finds;
}

/** The first address of a network from `networkOf`. */
const addressIn = (network: string | null) => (network ?? '').replace(/\/\d+$/, '');
