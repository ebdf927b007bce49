import { sql } from 'kysely';
import type { App, Build } from '../apps/app.ts';
import { markColumns, toMark } from '../apps/app-page-queries.ts';
import { selectApps, toApp } from '../apps/app-row-queries.ts';
import { toBuild } from '../apps/builds/build-row-queries.ts';
import type { MarkedPage, PageViewer } from '../apps/listed-page.ts';
import { hasWordOf } from '../apps/lists/app-list-queries.ts';
import { isOpenable } from '../apps/openable-page-queries.ts';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { nameContains } from '../db/name-order-queries.ts';
import { emailKey } from '../owners/owner.ts';
import { revisionOf } from './search-query.ts';

export interface SearchedApp {
  id: string;
  lastRevision: number;
}

export interface FoundBuild {
  app: App;
  build: Build;
}

export interface FoundPage {
  app: App;
  /** `revision`: the live build. */
  page: MarkedPage & { revision: number };
}

export interface FoundPerson {
  name: string;
  /** Name of a Project that the person and the viewer have in common; null for administrators, who see everyone. */
  projectName: string | null;
}

export const searchQueries = defineQueries(createSearchQueries);

function createSearchQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const appHasWord = hasWordOf(database.dialect);

  return {
    /**
     * Lists the apps to search in, those with the latest uploads first: apps of the owners and, with `testerId`, apps that Users
     * share with that person.
     */
    async searchedApps(
      scope: { ownerIds: readonly string[]; testerId: string },
      limit: number,
    ): Promise<SearchedApp[]> {
      const listed = () =>
        db
          .selectFrom('apps as a')
          .select(['a.id', 'a.last_revision', 'a.last_upload_at'])
          .where('a.deleted_at', 'is', null)
          .orderBy('a.last_upload_at', 'desc')
          .orderBy('a.id', 'desc')
          .limit(limit);
      const rows = await db
        .selectFrom(listed().where('a.owner_id', 'in', scope.ownerIds).as('owned'))
        .select(['id', 'last_revision', 'last_upload_at'])
        .union(
          db
            .selectFrom(
              listed()
                .innerJoin('app_testers as t', 't.app_id', 'a.id')
                .where('t.user_id', '=', scope.testerId)
                // In a Project, only the teams decide, even if the table still contains shared access.
                .where('a.owner_id', 'in', (users) => users.selectFrom('users').select('owner_id'))
                .as('given'),
            )
            .select(['id', 'last_revision', 'last_upload_at']),
        )
        .orderBy('last_upload_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ id: row.id, lastRevision: row.last_revision }));
    },

    /**
     * Lists builds that match every word, or whose app does. Builds with a revision or version code equal to a word come first,
     * then the newest. Reads the newest `depth` revisions of each app.
     */
    async findBuilds(
      appIds: readonly string[],
      words: readonly string[],
      { depth, limit }: { depth: number; limit: number },
    ): Promise<FoundBuild[]> {
      if (appIds.length === 0 || words.length === 0) return [];
      const exact = words.map(
        (word) => sql<boolean>`(s.revision = ${revisionOf(word) ?? 0} or b.version_code = ${word})`,
      );
      const found = await db
        .selectFrom('apps as a')
        .innerJoin('owners as o', 'o.id', 'a.owner_id')
        .innerJoin('build_words as s', 's.app_id', 'a.id')
        .innerJoin('builds as b', (join) =>
          join.onRef('b.app_id', '=', 's.app_id').onRef('b.revision', '=', 's.revision'),
        )
        .select(['b.id', 'b.app_id'])
        .where('a.id', 'in', appIds)
        .where(sql<boolean>`s.revision > a.last_revision - ${depth}`)
        .where('b.deleted_at', 'is', null)
        .where((where) => where.and(words.map((word) => where.or([appHasWord(word), buildHasWord(word)]))))
        .orderBy(sql`case when ${sql.join(exact, sql` or `)} then 0 else 1 end`)
        .orderBy('b.id', 'desc')
        .limit(limit)
        .execute();
      if (found.length === 0) return [];
      const ids = found.map(({ id }) => id);
      const builds = await db.selectFrom('builds').selectAll().where('id', 'in', ids).execute();
      const appRows = await selectApps(db)
        .where(
          'a.id',
          'in',
          found.map(({ app_id }) => app_id),
        )
        .execute();
      const apps = new Map(appRows.map((row) => [row.id, toApp(row)]));
      const byId = new Map(builds.map((row) => [row.id, toBuild(row)]));
      return found.flatMap((row) => {
        const [app, build] = [apps.get(row.app_id), byId.get(row.id)];
        return app && build ? [{ app, build }] : [];
      });
    },

    /** Lists pages with names that match every word, or whose app does; the most recently updated first. */
    async findPages(
      viewer: PageViewer,
      appIds: readonly string[],
      words: readonly string[],
      limit: number,
    ): Promise<FoundPage[]> {
      if (appIds.length === 0 || words.length === 0) return [];
      const rows = await selectApps(db)
        .innerJoin('distribution_pages as p', 'p.app_id', 'a.id')
        .innerJoin('builds as b', 'b.id', 'p.build_id')
        .select(markColumns)
        .select('b.revision')
        .where('a.id', 'in', appIds)
        .where(isOpenable(viewer))
        .where((where) =>
          where.and(
            words.map((word) =>
              where.or([appHasWord(word), sql<boolean>`lower(p.name) like ${containing(word)} escape '\\'`]),
            ),
          ),
        )
        .orderBy('p.updated_at', 'desc')
        .orderBy('p.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        app: toApp(row),
        page: { ...toMark(row), revision: row.revision },
      }));
    },

    /** Lists members of the Projects by name, each with the first of these Projects. */
    async findMembers(
      projectIds: readonly string[],
      words: readonly string[],
      limit: number,
    ): Promise<FoundPerson[]> {
      if (projectIds.length === 0 || words.length === 0) return [];
      const rows = await db
        .selectFrom('team_members as t')
        .innerJoin('owners as o', 'o.id', 't.user_id')
        .innerJoin('owners as p', 'p.id', 't.project_id')
        .select('o.name')
        .select((select) => select.fn.min<string>('p.name').as('project_name'))
        .where('t.project_id', 'in', projectIds)
        .where('o.deleted_at', 'is', null)
        .where((where) => where.and(words.map(nameContains)))
        .groupBy(['o.id', 'o.name', 'o.name_key'])
        .orderBy('o.name_key')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ name: row.name, projectName: row.project_name }));
    },

    /** For administrators: lists people by name. Reads the index of names until the limit is reached. */
    async findPeople(words: readonly string[], limit: number): Promise<FoundPerson[]> {
      if (words.length === 0) return [];
      const rows = await db
        .selectFrom('owners as o')
        .select('o.name')
        .where('o.kind', '=', sql.lit('user'))
        .where('o.deleted_at', 'is', null)
        .where((where) => where.and(words.map(nameOrEmailContains)))
        .where('o.name_key', '>', '')
        .orderBy('o.name_key')
        .limit(limit)
        .execute();
      return rows.map(({ name }) => ({ name, projectName: null }));
    },
  };
}

const escaped = (word: string) => word.toLowerCase().replace(/[\\%_]/g, '\\$&');
const containing = (word: string) => `%${escaped(word)}%`;

const nameOrEmailContains = (word: string) => sql<boolean>`(${nameContains(word)}
  or o.id in (select owner_id from users where email_key > '' and email_key like ${containing(emailKey(word))} escape '\\'))`;

/**
 * The searched text is lowercase, with one value per line. A number must be at the start of a value or word, so that `38` does
 * not find every commit that contains it. It also matches versions without their dots: `38` finds 3.8.0. `#14` only matches a
 * revision.
 */
function buildHasWord(word: string) {
  const revision = revisionOf(word);
  if (word.startsWith('#') && revision !== null) return sql<boolean>`s.revision = ${revision}`;
  if (!/^\d+$/.test(word)) return sql<boolean>`s.words like ${containing(word)} escape '\\'`;
  const begins = `${word}%`;
  return sql<boolean>`(s.revision = ${revision ?? 0} or s.words like ${begins} or s.words like ${`%\n${begins}`}
    or s.words like ${`% ${begins}`} or replace(coalesce(b.version_name, ''), '.', '') like ${begins})`;
}
