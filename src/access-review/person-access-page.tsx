/** Everything that one person can reach, why, and what they would leave behind. */
import { Callout } from '../web/components/callout.tsx';
import { Facts } from '../web/components/facts.tsx';
import { Confirm } from '../web/components/form-field.tsx';
import { formatList } from '../web/components/formats.ts';
import { isolated, timeOf } from '../web/components/message-tags.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { Credentials, PersonBadges, renderReview, revocationOf, wayText } from './access-page.tsx';
import type { ReviewSubject } from './access-review.ts';
import { type PersonPlace, type Way, waysTo } from './access-review.ts';
import type { PersonReport } from './access-review-service.ts';
import { accessTexts } from './access-texts.ts';

export interface PersonAccessProps {
  frame: PageFrame;
  subject: ReviewSubject;
  report: PersonReport;
  /** Whether the viewer may remove people from the place. */
  manages: (placeId: string) => boolean;
  /** Whether the viewer owns the place. */
  owns: (placeId: string) => boolean;
  /** Null unless the viewer may revoke everything at once. */
  revokeAllPath: string | null;
  /** Why that was refused. */
  refused: string | null;
  done: string | null;
}

const t = accessTexts;
const maxShownPages = 100;

export function renderPersonAccess(props: PersonAccessProps): string {
  const { frame, subject, report, refused } = props;
  const { person, belongings } = report;
  const { scope } = subject;
  const timeFact = (at: number | null) =>
    at === null ? t.person.notRecorded : <Timestamp at={at} now={frame.now} />;
  return renderReview({
    frame,
    subject,
    title: person.user.name,
    line: t.person.line,
    done: props.done,
    children: (
      <>
        <Callout tone="danger" title={t.person.revokeAll} sentences={refused === null ? [] : [refused]} />
        {(person.disabled || person.user.administrator) && (
          <p>
            <PersonBadges person={person} />
          </p>
        )}
        <div class="section panel panel-pad">
          <Facts
            facts={[
              { label: t.person.email, value: person.user.email ?? t.person.noEmail },
              { label: t.person.signIn, value: timeFact(person.lastUsed.signIn) },
              { label: t.person.keyUse, value: timeFact(person.lastUsed.key) },
              { label: t.person.visit, value: timeFact(person.lastUsed.visit) },
              { label: t.person.install, value: timeFact(person.lastUsed.install) },
              { label: t.person.sessions, value: String(belongings.sessions) },
            ]}
          />
        </div>
        <section class="section" aria-labelledby="access">
          <h2 id="access">{t.person.access}</h2>
          {person.places.length === 0 && <p class="secondary">{t.noPlaces}</p>}
          <div class="stack">
            {person.places.map((one) => (
              <Place key={one.place.id} place={one} {...props} />
            ))}
          </div>
        </section>
        <section class="section" aria-labelledby="leaves">
          <h2 id="leaves">{t.person.leaves}</h2>
          <div class="stack">
            {belongings.lastOwnerOf.length > 0 && (
              <p class="callout">{t.person.lastOwner({ names: formatList([...belongings.lastOwnerOf]) })}</p>
            )}
            <div>
              <h3>{t.credentials}</h3>
              <Credentials frame={frame} credentials={belongings.credentials} />
            </div>
            <Names title={t.person.devices} items={belongings.devices} />
            <Names title={t.person.webhooks} items={belongings.webhooks} />
            <Names
              title={t.person.mailedPages}
              items={belongings.mailedPages.map(({ name, packageName, at }) => ({
                id: `${packageName} ${name}`,
                name,
                owner: packageName,
                since: at,
              }))}
            />
            {props.revokeAllPath !== null && scope.kind === 'workspace' && (
              <Confirm
                frame={frame}
                action={props.revokeAllPath}
                ask={t.person.revokeAll}
                line={t.person.revokeAllLine({
                  name: person.user.name,
                  workspace: scope.workspace.displayName,
                })}
                button={t.person.revokeAllButton}
              />
            )}
          </div>
        </section>
      </>
    ),
  });
}

function Place({ place: one, frame, report, manages, owns }: { place: PersonPlace } & PersonAccessProps) {
  const { place, ways, reach } = one;
  return (
    <div class="panel">
      <div class="panel-head">
        <h3>
          <bdi>{place.kind === 'workspace' ? place.displayName : place.name}</bdi>
        </h3>
        {place.kind !== 'workspace' && (
          <span class="fine secondary">
            {t.reach({ apps: reach.apps.length, pages: reach.pages.length })}
          </span>
        )}
      </div>
      <ul class="rows">
        {ways.map((way) => {
          const userId = report.person.user.id;
          const revocation = manages(place.id)
            ? revocationOf(one, way, { userId, owns: owns(place.id) })
            : null;
          return (
            <li key={`${way.kind} ${way.id} ${way.name}`}>
              <span class="grow">
                <span class="line-1 strong">{wayText(way)}</span>
                <span class="line-2">
                  <span class="dots">
                    <span>
                      {way.since === null ? t.sinceUnknown : t.since({ time: timeOf(way.since, frame.now) })}
                    </span>
                    {way.addedBy !== null && <span>{t.addedBy({ user: way.addedBy, name: isolated })}</span>}
                  </span>
                </span>
                <Rules way={way} frame={frame} />
              </span>
              {revocation !== null && (
                <Confirm
                  frame={frame}
                  action={revocation.action}
                  ask={t.person.revoke}
                  label={t.person.revokeOf({ place: `${place.name}: ${wayText(way)}` })}
                  line={revokeLine(place.name, way)}
                  tone="quiet"
                >
                  {Object.entries(revocation.fields).map(([name, value]) => (
                    <input key={name} type="hidden" name={name} value={value} />
                  ))}
                </Confirm>
              )}
            </li>
          );
        })}
      </ul>
      {reach.pages.length > 0 && (
        <details class="panel-foot">
          <summary>{t.person.pages}</summary>
          <ul class="link-list">
            {reach.pages.slice(0, maxShownPages).map((page) => (
              <li key={page.id}>
                <span>
                  <span class="strong">{t.page({ name: page.name })}</span>{' '}
                  <span class="secondary">
                    <bdi>{page.app.packageName}</bdi> ({page.app.platform})
                  </span>
                </span>
                {waysTo(page, one).map((way) => (
                  <span class="line-2" key={`${way.kind} ${way.id} ${way.name}`}>
                    <Rules way={way} frame={frame} /> {wayText(way)} → {t.page({ name: page.name })}
                  </span>
                ))}
              </li>
            ))}
          </ul>
          {reach.pages.length > maxShownPages && (
            <p class="secondary">{t.morePages({ count: reach.pages.length - maxShownPages })}</p>
          )}
        </details>
      )}
    </div>
  );
}

function revokeLine(place: string, way: Way): string {
  const name = way.name ?? '';
  if (way.kind === 'group-manager') return t.person.revokeManagerLine({ name });
  if (way.kind === 'app') return t.person.revokeLine({ place: name });
  return t.person.revokeLine({ place: way.kind === 'group' ? wayText(way) : place });
}

function Rules({ way, frame }: { way: Way; frame: PageFrame }) {
  return (
    <>
      {way.rules.map((rule) => (
        <span class="line-2" key={`${rule.directoryGroup} ${rule.createdAt}`}>
          {t.rule({
            group: rule.directoryGroup,
            name: isolated,
            user: rule.createdBy,
            by: isolated,
            time: timeOf(rule.createdAt, frame.now),
          })}
        </span>
      ))}
    </>
  );
}

function Names({
  title,
  items,
}: {
  title: string;
  items: readonly { id: string; name: string; owner: string }[];
}) {
  if (items.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul class="panel rows">
        {items.map(({ id, name, owner }) => (
          <li key={id}>
            <span class="grow">
              <bdi class="line-1 strong">{name}</bdi>
              <bdi class="line-2">{owner}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
