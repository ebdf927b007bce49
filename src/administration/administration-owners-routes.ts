import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { Data } from '../db/data.ts';
import { cutPage, readNameCursor, readSearch } from '../http/list-request.ts';
import { html } from '../http/routes/answer.ts';
import { lenient, lenientText } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { nameKey } from '../owners/owner.ts';
import type { PageLinks } from '../web/components/paging.tsx';
import { sitePaths, withQuery } from '../web/shell/site-paths.ts';
import {
  type OwnerList,
  ownerLists,
  renderFoundOwners,
  renderOwnersPage,
} from './administration-owners-page.tsx';
import { type AdministrationQueries, administrationQueries } from './administration-queries.ts';
import type { CountStored, OwnerLine, Stored } from './administration-storage.ts';

export interface OwnersRouteDeps {
  data: Data;
  access: RouteAccess;
  countStored: CountStored;
}

const ownersPerPage = 50;
const maxPage = 10_000;

/** Lists the storage of Users, Projects and Workspaces. Limits are set on their own pages. */
export function ownersRoutes({ data, access, countStored }: OwnersRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/administration/owners',
      summary: 'List what Users, Projects and Workspaces store',
      access: access.administrator,
      query: {
        q: lenientText(),
        list: lenient(v.picklist(ownerLists)),
        page: lenient(v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number))),
        after: lenientText(),
        before: lenientText(),
        part: lenient(v.literal('owners')),
      },
      handle: async ({ frame, query: asked }) => {
        const search = readSearch(asked.q);
        const list = asked.list ?? 'largest';
        const stored = await countStored();
        const { owners, paging } =
          list === 'largest'
            ? await listLargest(data, stored, search, asked.page ?? 1)
            : await listByName(data, stored, { ...search, list }, readNameCursor(asked));
        const found = { query: search.query, list, owners, paging, countedAt: stored.countedAt };
        const render = asked.part === 'owners' ? renderFoundOwners : renderOwnersPage;
        return html(render({ frame, found }));
      },
    }),
  ];
}

interface Search {
  query: string;
  words: readonly string[];
}

interface Listed {
  owners: OwnerLine[];
  paging: PageLinks;
}

async function listLargest(
  data: Data,
  stored: Stored,
  { query, words }: Search,
  asked: number,
): Promise<Listed> {
  const page = Math.min(Math.max(asked, 1), maxPage);
  const matching = stored.owners.filter(({ name }) =>
    words.every((word) => nameKey(name).includes(nameKey(word))),
  );
  const shown = matching.slice((page - 1) * ownersPerPage, page * ownersPerPage);
  const known = await administrationQueries(data).ownersWithQuota(shown.map(({ id }) => id));
  const quotas = new Map(known.map(({ id, quota }) => [id, quota]));
  // Skips owners that were deleted since the totals were computed.
  const owners = shown.flatMap(({ id, ...line }) => {
    const quota = quotas.get(id);
    return quota ? [{ ...line, quota }] : [];
  });
  const link = (number: number) => withQuery(sitePaths.owners, { q: query, page: String(number) });
  return {
    owners,
    paging: {
      newer: page > 1 ? link(page - 1) : null,
      older: matching.length > page * ownersPerPage ? link(page + 1) : null,
    },
  };
}

async function listByName(
  data: Data,
  stored: Stored,
  { query, words, list }: Search & { list: Exclude<OwnerList, 'largest'> },
  { after, before }: { after: string | undefined; before: string | undefined },
): Promise<Listed> {
  const wanted = { limit: ownersPerPage + 1, after, before };
  const found =
    list === 'workspaces'
      ? await workspaceLines(data, stored, words, wanted)
      : await ownerLines(data, stored, { kind: list === 'users' ? 'user' : 'project', words }, wanted);
  const from = { forwards: before === undefined, begins: after === undefined };
  const { items: owners, hasPrevious, hasNext } = cutPage(found, ownersPerPage, from);
  const link = (place: 'after' | 'before', line: OwnerLine | undefined) =>
    line ? withQuery(sitePaths.owners, { list, q: query, [place]: nameKey(line.name) }) : null;
  return {
    owners,
    paging: {
      newer: hasPrevious ? link('before', owners[0]) : null,
      older: hasNext ? link('after', owners.at(-1)) : null,
    },
  };
}

const nothing = { apps: 0, builds: 0, bytes: 0 };

async function ownerLines(
  data: Data,
  stored: Stored,
  filter: { kind: 'user' | 'project'; words: readonly string[] },
  wanted: Parameters<AdministrationQueries['listOwners']>[1],
): Promise<OwnerLine[]> {
  const sums = new Map(stored.owners.map((line) => [line.id, line]));
  const owners = await administrationQueries(data).listOwners(filter, wanted);
  return owners.map(({ id, kind, name, quota }) => {
    const { apps, builds, bytes } = sums.get(id) ?? nothing;
    return { kind, name, quota, apps, builds, bytes };
  });
}

async function workspaceLines(
  data: Data,
  stored: Stored,
  words: readonly string[],
  wanted: Parameters<AdministrationQueries['listWorkspaces']>[1],
): Promise<OwnerLine[]> {
  const workspaces = await administrationQueries(data).listWorkspaces(words, wanted);
  return workspaces.map(({ id, name }) => {
    const sums = stored.workspaces.get(id) ?? nothing;
    return { kind: 'workspace', name, quota: null, ...sums };
  });
}
