import { renderToString } from 'preact-render-to-string';
import { projectPath, teamsPath } from '../../owners/owner-paths.ts';
import { Avatar } from '../../web/components/avatar.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Confirm } from '../../web/components/form-field.tsx';
import { formatDay } from '../../web/components/formats.ts';
import { SearchResults } from '../../web/components/result-list.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { withQuery } from '../../web/shell/site-paths.ts';
import type { App } from '../app.ts';
import { peoplePath } from '../app-paths.ts';
import type { AppPeople, AppPerson } from './app-people.ts';
import { peopleTexts } from './app-tester-texts.ts';

export interface PeopleProps {
  frame: PageFrame;
  app: App;
  found: AppPeople;
  /** Whether the viewer manages the teams of the Project. */
  managesTeams: boolean;
}

const t = peopleTexts;

export function TeamAccessNote({ app }: { app: App }) {
  return (
    <>
      {t.lineTeams} <a href={projectPath(app.owner.name)}>{t.teamsLink}</a>
    </>
  );
}

/** The part of the page that live search replaces. */
export function renderAppPeople(props: PeopleProps): string {
  return renderToString(<AppPeopleTable {...props} />);
}

export function AppPeopleTable({ found, ...props }: PeopleProps) {
  const { people, query, paging } = found;
  const { app } = props;
  const more = paging.newer !== null || paging.older !== null;
  return (
    <SearchResults
      said={query === '' ? '' : (more ? t.foundMore : t.found)({ count: people.length })}
      columnHeadings={[t.person, t.reason, t.since, t.actions]}
      lines={people.map((person) => <Line key={person.user.id} person={person} {...props} />)}
      nothing={
        <EmptyState title={t.nobodyFound}>
          <p class="secondary">
            <a href={peoplePath(app.owner, app.platform, app.packageName)}>{t.clear}</a>
          </p>
        </EmptyState>
      }
      paging={paging}
      label={t.pages}
      byName
    />
  );
}

function hintOf(reason: AppPerson['reason'], owner: string): string {
  const hint = t.reasonHints[reason];
  return typeof hint === 'string' ? hint : hint({ owner });
}

function Line({ person, ...props }: { person: AppPerson } & Omit<PeopleProps, 'found'>) {
  const { user, reason, since } = person;
  return (
    <tr>
      <th scope="row">
        <span class="person">
          <Avatar name={user.name} />
          <bdi class="strong cut">{user.name}</bdi>
        </span>
      </th>
      <td>
        <span class="line-1">{t.reasons[reason]}</span>
        <span class="line-2">{hintOf(reason, props.app.owner.name)}</span>
      </td>
      <td class="soft tight" data-label={since === null ? undefined : t.since}>
        {since !== null && formatDay(since)}
      </td>
      <td class="tight">
        <PersonAction person={person} {...props} />
      </td>
    </tr>
  );
}

/** Removes shared access, or links to the Project's page where its teams are managed. */
function PersonAction({
  person,
  frame,
  app,
  managesTeams,
}: { person: AppPerson } & Omit<PeopleProps, 'found'>) {
  const { user, reason } = person;
  if (reason === 'self') return null;
  if (reason !== 'shared') {
    if (!managesTeams) return null;
    return (
      <a
        class="button button-quiet"
        href={withQuery(teamsPath(app.owner.name), { q: user.name })}
        aria-label={t.manageOf({ name: user.name })}
      >
        {t.manage}
      </a>
    );
  }
  return (
    <Confirm
      frame={frame}
      action={`${peoplePath(app.owner, app.platform, app.packageName)}/remove`}
      ask={t.remove}
      label={t.removeOf({ name: user.name })}
      line={t.removeLine}
      tone="quiet"
    >
      <input type="hidden" name="user" value={user.id} />
    </Confirm>
  );
}
