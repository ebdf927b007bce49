/** The list of everyone with access, with keys, links and invitations. */
import type { ComponentChildren } from 'preact';
import type { Team } from '../owners/owner.ts';
import { managerPermissions, renderOwnerArea } from '../owners/owner-area.tsx';
import { groupPath, ownerPath, teamMemberPath, workspacePersonPath } from '../owners/owner-paths.ts';
import { PeopleSearch } from '../projects/people/people-list.tsx';
import { renderWorkspaceArea } from '../projects/workspaces/workspace-area.tsx';
import { Badge } from '../web/components/callout.tsx';
import { isolated, linkTo, timeOf } from '../web/components/message-tags.tsx';
import { type PageLinks, Paging } from '../web/components/paging.tsx';
import { renderAdministration } from '../web/shell/administration-frame.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import type { Credential, PersonPlace, ReviewedPerson, ReviewSubject, Way } from './access-review.ts';
import { accessTexts } from './access-texts.ts';

const t = accessTexts;

export interface AccessPageProps {
  frame: PageFrame;
  subject: ReviewSubject;
  /** Path of the page. */
  address: string;
  people: readonly ReviewedPerson[];
  query: string;
  paging: PageLinks;
  /** Only on the first page. */
  credentials: readonly Credential[];
  done: string | null;
}

export const maxShownCredentials = 100;

/** The frame of a page about the scope. */
export function renderReview(page: {
  frame: PageFrame;
  subject: ReviewSubject;
  title: string;
  line: string;
  done: string | null;
  children: ComponentChildren;
}): string {
  const { subject, ...shown } = page;
  const { scope } = subject;
  if (scope.kind === 'workspace')
    return renderWorkspaceArea({ ...shown, workspace: scope.workspace, settings: 'access' });
  if (scope.kind === 'project')
    return renderOwnerArea({
      ...shown,
      owner: scope.project,
      part: 'people',
      permissions: subject.permissions ?? managerPermissions,
    });
  return renderAdministration({
    ...shown,
    part: 'people',
    list: { label: t.people, address: sitePaths.people },
  });
}

export function renderAccessPage(props: AccessPageProps): string {
  const { frame, subject, address, people, query, paging, credentials } = props;
  const isFirst = paging.newer === null && query === '';
  return renderReview({
    frame,
    subject,
    title: t.title,
    line: t.line,
    done: props.done,
    children: (
      <>
        <section class="section" aria-labelledby="people">
          <div class="section-head">
            <h2 id="people">{t.people}</h2>
            <PeopleSearch address={address} query={query} />
          </div>
          {people.length === 0 && <p class="secondary">{query === '' ? t.none : t.noMatches}</p>}
          {people.length > 0 && (
            <ul class="panel rows">
              {people.map((person) => (
                <PersonRow key={person.user.id} frame={frame} address={address} person={person} />
              ))}
            </ul>
          )}
          <Paging links={paging} label={t.morePeople} byName />
        </section>
        {isFirst && (
          <section class="section" aria-labelledby="credentials">
            <h2 id="credentials">{t.credentials}</h2>
            <p class="hint lead-hint">{t.credentialsLine}</p>
            <Credentials frame={frame} credentials={credentials} />
            {credentials.length >= maxShownCredentials && (
              <p class="secondary">{t.moreCredentials({ limit: maxShownCredentials })}</p>
            )}
          </section>
        )}
        <p class="fine secondary audit-export">
          <span>{t.export}</span>{' '}
          <a class="export-link" href={`${address}.csv`}>
            {t.csv}
          </a>{' '}
          <a class="export-link" href={`${address}.jsonl`}>
            {t.jsonLines}
          </a>
        </p>
      </>
    ),
  });
}

function PersonRow({
  frame,
  address,
  person,
}: {
  frame: PageFrame;
  address: string;
  person: ReviewedPerson;
}) {
  const { user, places } = person;
  const times = Object.values(person.lastUsed).filter((at) => at !== null);
  return (
    <li>
      <span class="grow">
        <span class="line-1">
          <bdi class="strong cut" title={user.name}>
            {user.name}
          </bdi>
          <PersonBadges person={person} />
        </span>
        {places.map((one) => (
          <span class="line-2" key={one.place.id}>
            <span class="dots">
              <bdi>{one.place.name}</bdi>
              {one.ways.map((way) => (
                <span key={`${way.kind} ${way.name}`}>{wayText(way)}</span>
              ))}
              {one.place.kind !== 'workspace' && (
                <span>{t.reach({ apps: one.reach.apps.length, pages: one.reach.pages.length })}</span>
              )}
            </span>
          </span>
        ))}
        <span class="line-2">
          {times.length === 0 ? t.notUsed : t.lastUsed({ time: timeOf(Math.max(...times), frame.now) })}
        </span>
      </span>
      <a
        class="button button-quiet"
        href={`${address}/${encodeURIComponent(user.id)}`}
        aria-label={t.whyOf({ name: user.name })}
      >
        {t.why}
      </a>
    </li>
  );
}

export function PersonBadges({ person }: { person: ReviewedPerson }) {
  return (
    <>
      {person.disabled && <Badge>{t.disabled}</Badge>}
      {person.user.administrator && <Badge>{t.administrator}</Badge>}
    </>
  );
}

export function wayText({ kind, name }: Pick<Way, 'kind' | 'name'>): string {
  if (kind === 'group' || kind === 'app') return t.ways[kind]({ name: name ?? '' });
  if (kind === 'group-manager') return t.ways.groupManager({ name: name ?? '' });
  if (kind === 'team') return t.ways[name as Team];
  return t.ways[kind];
}

export const revocableWays = ['group', 'group-manager', 'app'] as const;

/**
 * Returns the form that ends the way; null if there is none. `owns`: the viewer owns the place. Administrators use a route of the
 * review for what only owners may change elsewhere.
 */
export function revocationOf(
  { place }: PersonPlace,
  way: Way,
  { userId, owns }: { userId: string; owns: boolean },
): { action: string; fields: Record<string, string> } | null {
  if (way.kind === 'team' && place.kind === 'project')
    return { action: `${teamMemberPath(place.name, userId)}/remove`, fields: {} };
  if (place.kind === 'workspace')
    return { action: `${workspacePersonPath(place.name, userId)}/remove`, fields: {} };
  if (!revocableWays.some((kind) => kind === way.kind)) return null;
  if (!owns) {
    const action = `${sitePaths.administration}/access/${encodeURIComponent(userId)}/revoke`;
    return { action, fields: { way: way.kind, id: way.id ?? '' } };
  }
  if (way.kind === 'app') return null;
  const group = groupPath(place, way.id ?? '');
  return {
    action: way.kind === 'group' ? `${group}/remove` : `${group}/managers/remove`,
    fields: { user: userId },
  };
}

export function Credentials({
  frame,
  credentials,
}: {
  frame: PageFrame;
  credentials: readonly Credential[];
}) {
  if (credentials.length === 0) return <p class="secondary">{t.noCredentials}</p>;
  return (
    <ul class="panel rows">
      {credentials.map((one) => (
        <li key={one.id}>
          <span class="grow">
            <span class="line-1">
              <bdi class="strong cut" title={one.name}>
                {one.name}
              </bdi>
              <Badge>{t.kinds[one.kind]}</Badge>
            </span>
            <span class="line-2">
              <span class="dots">
                <span>{t.inPlace({ place: one.place.name, name: placeTag(one) })}</span>
                {one.since !== null && <span>{t.since({ time: timeOf(one.since, frame.now) })}</span>}
                {one.createdBy !== null && <span>{t.addedBy({ user: one.createdBy, name: isolated })}</span>}
                <span>
                  {one.lastUsedAt === null
                    ? t.notUsed
                    : t.lastUsed({ time: timeOf(one.lastUsedAt, frame.now) })}
                </span>
                {one.expiresAt !== null && (
                  <span>{t.expires({ time: timeOf(one.expiresAt, frame.now) })}</span>
                )}
              </span>
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Returns the page where the credential is revoked. */
const placeTag = ({ place, kind }: Credential) => {
  const pages: Partial<Record<Credential['kind'], string>> = {
    key: 'keys',
    invitation: 'invitations',
    'invite-link': 'invite-links',
    'trusted-publisher': 'settings/trusted-publishing',
  };
  if (place.kind === 'workspace')
    return linkTo(
      `/enterprises/${encodeURIComponent(place.name)}/${kind === 'scim-token' ? 'provisioning' : 'settings'}`,
    );
  const page = pages[kind];
  const home = ownerPath({ kind: place.kind, name: place.name });
  return place.kind === 'project' && page ? linkTo(`${home}/${page}`) : isolated;
};
