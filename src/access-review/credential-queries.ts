import { sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { decideVisit } from '../distributions/access/page-rules.ts';
import { pageSettingsOfRow } from '../distributions/distribution-page.ts';
import { admitsSecrets, parsePolicies } from '../owners/policies/policies.ts';
import { invitedKey } from '../owners/team-queries.ts';
import {
  type Belongings,
  type Credential,
  type CredentialKind,
  credentialKinds,
  maxBelongings,
  type ReviewScope,
} from './access-review.ts';
import { within } from './access-review-queries.ts';

export const credentialQueries = defineQueries(createCredentialQueries);

interface Asked {
  scope: ReviewScope;
  /** The id of the one before. */
  after: string;
  limit: number;
  now: number;
  /** Limits the list to what this person created, or to their invitations. Only the installation's scope includes their own keys. */
  of: string | null;
}

type Row = Omit<Credential, 'kind' | 'place'> & { placeKind: Credential['place']['kind']; placeName: string };

function createCredentialQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const inScope = (asked: Asked, column: string) => within(asked.scope, sql.ref(column));
  const list: Readonly<Record<CredentialKind, (asked: Asked) => Promise<readonly Row[]>>> = {
    key: (asked) =>
      db
        .selectFrom('api_keys as k')
        .innerJoin('owners as o', 'o.id', 'k.owner_id')
        .select([
          'k.id',
          'k.name',
          'o.kind as placeKind',
          'o.name as placeName',
          'k.created_by_name as createdBy',
        ])
        .select(['k.created_at as since', 'k.last_used_at as lastUsedAt', 'k.expires_at as expiresAt'])
        .select('k.scopes as details')
        .where('k.id', '>', asked.after)
        .where('k.revoked_at', 'is', null)
        .where('k.trusted_publisher_id', 'is', null)
        .where(sql<boolean>`(k.expires_at is null or k.expires_at > ${asked.now})`)
        .where(
          asked.of === null
            ? inScope(asked, 'k.owner_id')
            : sql<boolean>`(k.created_by = ${asked.of} or k.owner_id = ${asked.of}) and ${inScope(asked, 'k.owner_id')}`,
        )
        .orderBy('k.id')
        .limit(asked.limit)
        .execute(),
    'trusted-publisher': (asked) =>
      db
        .selectFrom('trusted_publishers as t')
        .innerJoin('owners as o', 'o.id', 't.owner_id')
        .leftJoin('owners as c', 'c.id', 't.created_by')
        .select(['t.id', 't.name', 'o.kind as placeKind', 'o.name as placeName', 'c.name as createdBy'])
        .select(['t.created_at as since', 't.last_used_at as lastUsedAt', 't.provider as details'])
        .select(sql<null>`null`.as('expiresAt'))
        .where('t.id', '>', asked.after)
        .where(inScope(asked, 't.owner_id'))
        .$if(asked.of !== null, (query) => query.where('t.created_by', '=', asked.of))
        .orderBy('t.id')
        .limit(asked.limit)
        .execute(),
    invitation: (asked) =>
      invitations(asked)
        .where('i.max_people', 'is', null)
        .$if(asked.of !== null, (query) =>
          query.where(
            sql<boolean>`(i.user_id = ${asked.of} or (i.user_id is null and ${invitedKey(database, 'i.email')} =
              (select email_key from users where owner_id = ${asked.of})))`,
          ),
        )
        .execute(),
    'invite-link': async (asked) =>
      asked.of === null ? invitations(asked).where('i.max_people', 'is not', null).execute() : [],
    'page-link': async (asked) => {
      if (asked.of !== null) return [];
      const rows = await db
        .selectFrom('distribution_pages as d')
        .innerJoin('apps as a', 'a.id', 'd.app_id')
        .innerJoin('owners as o', 'o.id', 'a.owner_id')
        .selectAll('d')
        .select(['o.kind as placeKind', 'o.name as placeName', 'a.package_name'])
        .where('d.id', '>', asked.after)
        .where('a.deleted_at', 'is', null)
        .where('d.access', 'in', ['unlisted', 'passcode'])
        .where(inScope(asked, 'a.owner_id'))
        .orderBy('d.id')
        .limit(asked.limit)
        .execute();
      const anyone = { address: null, member: false, inGroup: false, signedIn: false, knowsPasscode: true };
      return rows.map((row) => ({
        id: row.id,
        name: `${row.name} (${row.package_name})`,
        placeKind: row.placeKind,
        placeName: row.placeName,
        createdBy: null,
        since: row.created_at,
        lastUsedAt: null,
        expiresAt: row.expires_at,
        details:
          decideVisit(
            { ...pageSettingsOfRow(row), passcodeHash: row.passcode_hash },
            { ...anyone, now: asked.now },
          ).kind === 'admitted'
            ? row.access
            : 'closed',
      }));
    },
    'scim-token': async (asked) => {
      if (asked.of !== null || asked.scope.kind === 'project') return [];
      const { scope } = asked;
      return db
        .selectFrom('scim_tokens as t')
        .innerJoin('workspaces as w', 'w.id', 't.workspace_id')
        .select([
          't.id',
          't.name',
          'w.name as placeName',
          't.created_by as createdBy',
          't.created_at as since',
        ])
        .select(['t.last_used_at as lastUsedAt', 't.expires_at as expiresAt'])
        .select([sql<'workspace'>`'workspace'`.as('placeKind'), sql<null>`null`.as('details')])
        .where('t.id', '>', asked.after)
        .where(sql<boolean>`(t.expires_at is null or t.expires_at > ${asked.now})`)
        .$if(scope.kind === 'workspace', (query) =>
          query.where('w.id', '=', scope.kind === 'workspace' ? scope.workspace.id : ''),
        )
        .orderBy('t.id')
        .limit(asked.limit)
        .execute();
    },
    'app-secret': async (asked) => {
      if (asked.of !== null) return [];
      const rows = await db
        .selectFrom('apps as a')
        .innerJoin('owners as o', 'o.id', 'a.owner_id')
        .leftJoin('projects as p', 'p.owner_id', 'a.owner_id')
        .leftJoin('workspaces as w', 'w.id', 'p.workspace_id')
        .select(['a.id', 'a.package_name', 'a.platform', 'a.created_at', 'w.policies'])
        .select(['o.kind as placeKind', 'o.name as placeName'])
        .where('a.id', '>', asked.after)
        .where('a.deleted_at', 'is', null)
        .where(inScope(asked, 'a.owner_id'))
        .orderBy('a.id')
        .limit(asked.limit)
        .execute();
      return rows.map(({ id, placeKind, placeName, ...app }) => ({
        id,
        placeKind,
        placeName,
        name: `${app.package_name} (${app.platform})`,
        createdBy: null,
        since: app.created_at,
        lastUsedAt: null,
        expiresAt: null,
        details: admitsSecrets(parsePolicies(app.policies)) ? 'unlisted' : 'closed',
      }));
    },
  };
  const invitations = ({ scope, ...asked }: Asked) =>
    db
      .selectFrom('invitations as i')
      .leftJoin('apps as a', 'a.id', 'i.app_id')
      .leftJoin('owners as o', (join) => join.on(sql<boolean>`o.id = coalesce(i.project_id, a.owner_id)`))
      .leftJoin('workspaces as w', 'w.id', 'i.workspace_id')
      .leftJoin('owners as c', 'c.id', 'i.invited_by')
      .leftJoin('owners as me', 'me.id', 'i.user_id')
      .select(['i.id', 'c.name as createdBy', 'i.created_at as since', 'i.expires_at as expiresAt'])
      .select([
        sql<string>`coalesce(me.name, i.email, i.label, '')`.as('name'),
        sql<Row['placeKind']>`coalesce(o.kind, 'workspace')`.as('placeKind'),
        sql<string>`coalesce(o.name, w.name)`.as('placeName'),
        sql<null>`null`.as('lastUsedAt'),
        sql<string | null>`coalesce(i.team, a.package_name)`.as('details'),
      ])
      .where('i.id', '>', asked.after)
      .where('i.used_at', 'is', null)
      .where('i.expires_at', '>', asked.now)
      .where(sql<boolean>`(o.id is not null or w.id is not null)`)
      .$if(scope.kind === 'project', (query) =>
        query.where('i.project_id', '=', scope.kind === 'project' ? scope.project.id : ''),
      )
      .$if(scope.kind === 'workspace', (query) => {
        const id = scope.kind === 'workspace' ? scope.workspace.id : '';
        return query.where(
          sql<boolean>`(i.workspace_id = ${id} or i.project_id in (select owner_id from projects where workspace_id = ${id}))`,
        );
      })
      .orderBy('i.id')
      .limit(asked.limit);

  const listCredentials = async (
    asked: Omit<Asked, 'after'> & { after: readonly [number, string] },
  ): Promise<Credential[]> => {
    const [first, after] = asked.after;
    const found: Credential[] = [];
    for (const [index, kind] of credentialKinds.entries()) {
      const rest = asked.limit - found.length;
      if (index < first || rest <= 0) continue;
      const rows = await list[kind]({ ...asked, after: index === first ? after : '', limit: rest });
      found.push(
        ...rows.map(({ placeKind, placeName, ...row }) => ({
          ...row,
          kind,
          place: { kind: placeKind, name: placeName },
        })),
      );
    }
    return found;
  };

  return {
    /** Lists what gives access without an account, by kind and id. */
    listCredentials,

    /** Lists what the person has or created in the scope. */
    async belongingsOf(
      userId: string,
      scope: ReviewScope,
      now: number,
    ): Promise<Omit<Belongings, 'lastOwnerOf'>> {
      const sessions = await db
        .selectFrom('sessions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow();
      const devices = await db
        .selectFrom('devices as d')
        .innerJoin('owners as o', 'o.id', 'd.owner_id')
        .select(['d.id', 'd.name', 'o.name as owner', 'd.created_at as since'])
        .where('d.user_id', '=', userId)
        .where(within(scope, sql.ref('d.owner_id')))
        .orderBy('d.id')
        .limit(maxBelongings)
        .execute();
      const webhooks = await db
        .selectFrom('hooks as h')
        .innerJoin('owners as o', 'o.id', 'h.owner_id')
        .select(['h.id', 'h.name', 'o.name as owner', 'h.created_at as since'])
        .where('h.created_by', '=', userId)
        .where(within(scope, sql.ref('h.owner_id')))
        .orderBy('h.id')
        .limit(maxBelongings)
        .execute();
      const mailedPages = await db
        .selectFrom('mails as m')
        .innerJoin('distribution_pages as d', 'd.id', 'm.page_id')
        .innerJoin('apps as a', 'a.id', 'd.app_id')
        .select(['d.name', 'a.package_name as packageName', sql<number>`max(m.created_at)`.as('at')])
        .where('m.user_id', '=', userId)
        .where(within(scope, sql.ref('a.owner_id')))
        .groupBy(['d.id', 'd.name', 'a.package_name'])
        .orderBy('d.id')
        .limit(maxBelongings)
        .execute();
      return {
        sessions: Number(sessions.count),
        credentials: await listCredentials({ scope, now, of: userId, after: [0, ''], limit: maxBelongings }),
        devices,
        webhooks,
        mailedPages,
      };
    },
  };
}
