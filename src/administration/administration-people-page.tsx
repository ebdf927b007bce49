/** Everyone with an account, for administrators, with search as you type. */
import { renderToString } from 'preact-render-to-string';
import { Badge } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { formatList } from '../web/components/formats.ts';
import { LiveSearch } from '../web/components/live-search.tsx';
import type { PageLinks } from '../web/components/paging.tsx';
import { SearchResults } from '../web/components/result-list.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import { Choices, renderAdministration } from '../web/shell/administration-frame.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths, withQuery } from '../web/shell/site-paths.ts';
import { personPath } from './administration-paths.ts';
import { type PeopleFilter, type Person, peopleFilters } from './administration-person.ts';
import { administrationTexts } from './administration-texts.ts';

/** The part of the page that live search replaces. */
export interface FoundPeople {
  query: string;
  only: PeopleFilter['only'];
  people: readonly Person[];
  paging: PageLinks;
}

const t = administrationTexts.people;

export function renderPeoplePage({ frame, found }: { frame: PageFrame; found: FoundPeople }): string {
  const choice = (only: PeopleFilter['only']) => ({
    label: t.filters[only ?? 'all'],
    address: withQuery(sitePaths.people, { only: only ?? '', q: found.query }),
    chosen: found.only === only,
  });
  return renderAdministration({
    frame,
    part: 'people',
    line: t.line,
    children: (
      <>
        <div class="list-tools">
          <LiveSearch
            address={sitePaths.people}
            part="people"
            hidden={found.only === null ? {} : { only: found.only }}
            query={found.query}
            label={t.search}
            hint={t.searchHint}
            button={t.searchButton}
          />
          <Choices label={t.filter} choices={[choice(null), ...peopleFilters.map(choice)]} />
          <a class="button button-primary" href={sitePaths.invitations}>
            {t.invite}
          </a>
        </div>
        <div id="people">
          <Found frame={frame} found={found} />
        </div>
      </>
    ),
  });
}

export function renderFoundPeople(props: { frame: PageFrame; found: FoundPeople }): string {
  return renderToString(<Found {...props} />);
}

function Found({ frame, found }: { frame: PageFrame; found: FoundPeople }) {
  const { people, paging, query } = found;
  const more = paging.newer !== null || paging.older !== null;
  return (
    <SearchResults
      said={query === '' ? '' : (more ? t.foundMore : t.found)({ count: people.length })}
      columnHeadings={[t.name, t.email, t.lastSeen, t.secondFactor]}
      lines={people.map((person) => <Line key={person.user.id} person={person} now={frame.now} />)}
      nothing={
        <EmptyState title={t.none}>
          <p class="secondary">
            {t.noneLine} <a href={sitePaths.people}>{t.clear}</a>
          </p>
        </EmptyState>
      }
      paging={paging}
      label={t.more}
      byName
    />
  );
}

function Line({ person, now }: { person: Person; now: number }) {
  const { user, lastSeenAt } = person;
  return (
    <tr>
      <th scope="row">
        <a href={personPath(user.name)}>
          <bdi>{user.name}</bdi>
        </a>
        <PersonBadges person={person} />
      </th>
      <td class="secondary">{user.email !== null && <bdi>{user.email}</bdi>}</td>
      <td class="secondary tight">
        <span class="device-label" aria-hidden="true">
          {t.lastSeen}{' '}
        </span>
        {lastSeenAt === null ? t.never : <Timestamp at={lastSeenAt} now={now} />}
      </td>
      <td class="secondary">
        <span class="device-label" aria-hidden="true">
          {t.secondFactor}{' '}
        </span>
        {secondFactorOf(person)}
      </td>
    </tr>
  );
}

export function PersonBadges({ person }: { person: Person }) {
  return (
    <>
      {person.user.administrator && (
        <>
          {' '}
          <Badge>{t.administrator}</Badge>
        </>
      )}
      {person.disabledAt !== null && (
        <>
          {' '}
          <Badge tone="warning">{t.disabled}</Badge>
        </>
      )}
    </>
  );
}

export function secondFactorOf({ hasTotp, passkeys }: Person): string {
  const factors = [...(hasTotp ? [t.totp] : []), ...(passkeys > 0 ? [t.passkeys({ count: passkeys })] : [])];
  return factors.length === 0 ? t.noSecondFactor : formatList(factors);
}
