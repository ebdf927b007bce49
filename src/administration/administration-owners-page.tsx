/** Storage and limits of owners, for administrators. */
import { renderToString } from 'preact-render-to-string';
import { formatBytes } from '../core/byte-size.ts';
import { ownerSettingsPath, workspaceSettingsPath } from '../owners/owner-paths.ts';
import { EmptyState } from '../web/components/empty-state.tsx';
import { formatCount, formatList, formatShare } from '../web/components/formats.ts';
import { LiveSearch } from '../web/components/live-search.tsx';
import { timeOf } from '../web/components/message-tags.tsx';
import type { PageLinks } from '../web/components/paging.tsx';
import { SearchResults } from '../web/components/result-list.tsx';
import { Choices, renderAdministration } from '../web/shell/administration-frame.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths, withQuery } from '../web/shell/site-paths.ts';
import type { OwnerLine } from './administration-storage.ts';
import { administrationTexts } from './administration-texts.ts';

export const ownerLists = ['largest', 'users', 'projects', 'workspaces'] as const;
export type OwnerList = (typeof ownerLists)[number];

export interface FoundOwners {
  query: string;
  list: OwnerList;
  owners: readonly OwnerLine[];
  paging: PageLinks;
  countedAt: number;
}

const t = administrationTexts.owners;

export function renderOwnersPage({ frame, found }: { frame: PageFrame; found: FoundOwners }): string {
  return renderAdministration({
    frame,
    part: 'owners',
    title: t.title,
    line: t.line,
    children: (
      <>
        <div class="list-tools">
          <LiveSearch
            address={sitePaths.owners}
            part="owners"
            hidden={found.list === 'largest' ? {} : { list: found.list }}
            query={found.query}
            label={t.search}
            hint={t.searchHint}
            button={t.searchButton}
          />
          <Choices
            label={t.filter}
            choices={ownerLists.map((list) => ({
              label: t.filters[list],
              address: withQuery(sitePaths.owners, {
                list: list === 'largest' ? '' : list,
                q: found.query,
              }),
              chosen: found.list === list,
            }))}
          />
        </div>
        <div id="owners">
          <Found frame={frame} found={found} />
        </div>
      </>
    ),
  });
}

export function renderFoundOwners(props: { frame: PageFrame; found: FoundOwners }): string {
  return renderToString(<Found {...props} />);
}

function Found({ frame, found }: { frame: PageFrame; found: FoundOwners }) {
  const { owners, paging, query, list } = found;
  const more = paging.newer !== null || paging.older !== null;
  return (
    <>
      <SearchResults
        said={query === '' ? '' : (more ? t.foundMore : t.found)({ count: owners.length })}
        columnHeadings={[t.name, t.kind, t.apps, t.builds, t.stored, t.limit]}
        numbers
        lines={owners.map((owner) => <Line key={`${owner.kind} ${owner.name}`} owner={owner} />)}
        nothing={<NoResults isSearch={query !== ''} />}
        paging={paging}
        label={t.more}
        byName={list !== 'largest'}
      />
      {owners.length > 0 && (
        <p class="secondary fine after-list">{t.counted({ time: timeOf(found.countedAt, frame.now) })}</p>
      )}
    </>
  );
}

function NoResults({ isSearch }: { isSearch: boolean }) {
  return isSearch ? (
    <EmptyState title={t.none}>
      <p class="secondary">
        {t.noneLine} <a href={sitePaths.owners}>{t.clear}</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title={t.noneStored}>
      <p class="secondary">{t.noneStoredLine}</p>
    </EmptyState>
  );
}

function Line({ owner }: { owner: OwnerLine }) {
  const { kind, name } = owner;
  const address = kind === 'workspace' ? workspaceSettingsPath(name) : ownerSettingsPath({ kind, name });
  return (
    <tr>
      <th scope="row">
        <a href={address}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td class="secondary">{t.kinds[kind]}</td>
      <Amount label={t.apps} value={formatCount(owner.apps)} />
      <Amount label={t.builds} value={formatCount(owner.builds)} />
      <Amount label={t.stored} value={formatBytes(owner.bytes)} />
      <td>
        <span class="device-label" aria-hidden="true">
          {t.limit}{' '}
        </span>
        <Limit owner={owner} />
      </td>
    </tr>
  );
}

function Amount({ label, value }: { label: string; value: string }) {
  return (
    <td class="number">
      <span class="device-label" aria-hidden="true">
        {label}{' '}
      </span>
      {value}
    </td>
  );
}

/** Limits are set on the owner’s own page; a Workspace has none. */
function Limit({ owner: { kind, name, quota, bytes } }: { owner: OwnerLine }) {
  if (kind === 'workspace' || quota === null) return null;
  const { maxStorageBytes, maxBuilds } = quota;
  const limits = [
    ...(maxStorageBytes === null
      ? []
      : [
          t.storageLimit({ bytes: formatBytes(maxStorageBytes), used: formatShare(bytes / maxStorageBytes) }),
        ]),
    ...(maxBuilds === null ? [] : [t.buildLimit({ builds: formatCount(maxBuilds) })]),
  ];
  return (
    <span class="limit">
      <span class={limits.length === 0 ? 'secondary' : undefined}>
        {limits.length === 0 ? t.noLimit : formatList(limits)}
      </span>{' '}
      <a href={`${ownerSettingsPath({ kind, name })}#quota`} aria-label={t.setLimitOf({ name })}>
        {t.setLimit}
      </a>
    </span>
  );
}
