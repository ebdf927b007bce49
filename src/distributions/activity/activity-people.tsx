/** Which members, by name, opened and installed builds. */

import type { MemberActivity } from '../../apps/activity/member-activity.ts';
import type { App } from '../../apps/app.ts';
import { pageSettingsPath, revisionPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { Avatar } from '../../web/components/avatar.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import { Paging } from '../../web/components/paging.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { texts } from '../../web/shell/texts.ts';
import { type ActivityView, activityAddress } from './activity-address.ts';
import type { AppActivityProps, ListedPeople } from './activity-props.ts';
import { activityTexts } from './activity-texts.ts';

const t = activityTexts.who;

export function People(props: AppActivityProps & { listed: ListedPeople }) {
  const { app, view, listed } = props;
  const isFiltered = view.revision !== null || view.accessKey !== null;
  const isEmpty = listed.people.length === 0;
  return (
    <section class="section" aria-labelledby="people">
      <div class="section-head">
        <h2 id="people">{t.title}</h2>
        {(isFiltered || !isEmpty) && <Filters {...props} />}
        {!isEmpty && (
          <a class="button" href={activityAddress(app, view, { file: '/people.csv' })} aria-label={t.csvOf}>
            <Glyph name="download" />
            {activityTexts.csv}
          </a>
        )}
        <p class="soft fine">{t.line}</p>
      </div>
      {isEmpty ? (
        <NoPeople app={app} view={view} isFiltered={isFiltered} />
      ) : (
        <div class="panel">
          <PeopleTable {...props} />
        </div>
      )}
      <Paging links={listed} label={t.paging} />
    </section>
  );
}

function NoPeople({ app, view, isFiltered }: { app: App; view: ActivityView; isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <EmptyState title={t.none}>
        <p class="soft">{t.noneLine}</p>
      </EmptyState>
    );
  return (
    <EmptyState title={t.noneFiltered}>
      <a class="button" href={`${activityAddress(app, unfiltered(view))}#people`}>
        {t.clear}
      </a>
    </EmptyState>
  );
}

const unfiltered = (view: ActivityView): ActivityView => ({ ...view, revision: null, accessKey: null });

function Filters({ app, view, builds, pages }: AppActivityProps) {
  const shownPage = pages.find(({ accessKey }) => accessKey === view.accessKey)?.name;
  const to = (change: Partial<ActivityView>) => `${activityAddress(app, { ...view, ...change })}#people`;
  return (
    <>
      <Filter
        label={t.filterBuild}
        value={view.revision === null ? null : appTexts.app.revision({ revision: view.revision })}
        any={{ label: t.anyBuild, address: to({ revision: null }) }}
        options={builds.map(({ revision }) => ({
          label: appTexts.app.revision({ revision: revision }),
          address: to({ revision }),
          isCurrent: revision === view.revision,
        }))}
      />
      <Filter
        label={t.filterPage}
        value={view.accessKey === null ? null : (shownPage ?? '…')}
        any={{ label: t.anyPage, address: to({ accessKey: null }) }}
        options={pages.map(({ name, accessKey }) => ({
          label: name,
          address: to({ accessKey }),
          isCurrent: accessKey === view.accessKey,
        }))}
      />
    </>
  );
}

interface FilterOption {
  label: string;
  address: string;
  isCurrent: boolean;
}

function Filter(props: {
  label: string;
  value: string | null;
  any: Omit<FilterOption, 'isCurrent'>;
  options: readonly FilterOption[];
}) {
  const { label, value, any, options } = props;
  return (
    <details class="menu">
      <summary class={value === null ? 'button filter' : 'button filter filter-on'}>
        <span>{value === null ? label : texts.labeled({ label, value, name: isolated })}</span>
        <Glyph name="chevronDown" />
      </summary>
      <div class="menu-list menu-start">
        <a class="menu-item" href={any.address}>
          {any.label}
        </a>
        {options.map((option) => (
          <a
            key={option.address}
            class="menu-item"
            href={option.address}
            aria-current={option.isCurrent ? 'true' : undefined}
          >
            <bdi class="cut">{option.label}</bdi>
          </a>
        ))}
      </div>
    </details>
  );
}

function PeopleTable(props: AppActivityProps & { listed: ListedPeople }) {
  return (
    <table class="table cards">
      <caption class="unseen">{t.title}</caption>
      <thead>
        <tr>
          <th scope="col">{t.person}</th>
          <th scope="col">{t.build}</th>
          <th scope="col">{t.device}</th>
          <th scope="col" class="hide-medium">
            {t.page}
          </th>
          <th scope="col">{t.opened}</th>
          <th scope="col">{t.installed}</th>
        </tr>
      </thead>
      <tbody>
        {props.listed.people.map((activity) => (
          <PersonRow key={activity.id} {...props} activity={activity} />
        ))}
      </tbody>
    </table>
  );
}

function PersonRow({ app, frame, activity }: AppActivityProps & { activity: MemberActivity }) {
  const { revision } = activity;
  const time = (at: number, count: number) =>
    count > 1 ? (
      t.repeated({
        count,
        time: timeOf(at, frame.now),
        soft: (children) => <span class="soft">{children}</span>,
      })
    ) : (
      <Timestamp at={at} now={frame.now} />
    );
  return (
    <tr>
      <th scope="row">
        <span class="person">
          <Avatar name={activity.userName} />
          <bdi class="cut strong">{activity.userName}</bdi>
        </span>
      </th>
      <td>
        <a class="plain" href={revisionPath(app.owner, app.platform, app.packageName, revision)}>
          <span class="revision">{appTexts.app.revision({ revision: revision })}</span>{' '}
          <bdi>{versionText(activity)}</bdi>
        </a>
      </td>
      <td>
        {activity.model && (
          <>
            <bdi>{activity.model}</bdi>
            {' · '}
          </>
        )}
        <span class="soft">{activity.system}</span>
      </td>
      <td class="hide-medium" data-label={t.page}>
        {activity.page ? (
          <a class="plain" href={pageSettingsPath(activity.page.accessKey)}>
            <bdi class="cut">{activity.page.name}</bdi>
          </a>
        ) : (
          <span class="soft">{t.noPage}</span>
        )}
      </td>
      <td class="soft" data-label={t.opened}>
        {activity.openedAt === null ? '–' : time(activity.openedAt, activity.opens)}
      </td>
      <td data-label={t.installed}>
        {activity.installedAt === null ? (
          <span class="soft">{t.notInstalled}</span>
        ) : (
          time(activity.installedAt, activity.installs)
        )}
      </td>
    </tr>
  );
}
