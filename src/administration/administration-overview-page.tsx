/** Versions, totals and background work of this server at a glance, for administrators. */
import type { ComponentChildren } from 'preact';
import type { BlobConfig } from '../blobs/blob-config.ts';
import { formatBytes } from '../core/byte-size.ts';
import { doctorSummary } from '../operations/doctor/doctor-summary.ts';
import { ownerSettingsPath } from '../owners/owner-paths.ts';
import { Facts } from '../web/components/facts.tsx';
import { formatCount } from '../web/components/formats.ts';
import { Timestamp } from '../web/components/timestamp.tsx';
import { renderAdministration } from '../web/shell/administration-frame.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import { texts } from '../web/shell/texts.ts';
import { attentionItemsOf, type Need, type Overview } from './administration-overview.ts';
import { deadMailPath, jobsPath } from './administration-paths.ts';
import { administrationTexts } from './administration-texts.ts';

interface OverviewPageProps {
  frame: PageFrame;
  overview: Overview;
}

const t = administrationTexts.overview;
const shownOwners = 5;

export function renderOverviewPage(props: OverviewPageProps): string {
  return renderAdministration({
    frame: props.frame,
    part: 'overview',
    children: (
      <>
        <Attention {...props} />
        <div class="halves">
          <div class="stack">
            <ThisServer {...props} />
            <BackgroundJobs {...props} />
          </div>
          <div class="stack">
            <InstallationContents {...props} />
            <Storage {...props} />
          </div>
        </div>
      </>
    ),
  });
}

function Attention({ overview }: OverviewPageProps) {
  const needs = attentionItemsOf(overview);
  if (needs.length === 0) return null;
  return (
    <div class="callout callout-warning" role="note">
      <p class="callout-title">{t.attention}</p>
      <ul>
        {needs.map((need) => (
          <li key={need}>
            <a href={addressOf(need)}>{sentenceOf(need, overview)}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function addressOf(need: Need): string {
  if (need === 'deadWork') return jobsPath('dead');
  if (need === 'lateWork') return jobsPath('waiting');
  return need === 'deadMail' ? deadMailPath : sitePaths.doctor;
}

function sentenceOf(need: Need, overview: Overview): string {
  const { work, mail, disk } = overview;
  const counted = (count: number) => ({ count, shown: countOf(count, overview) });
  if (need === 'deadWork') return t.deadJobs(counted(work.dead));
  if (need === 'lateWork') return t.lateJobs(counted(work.late));
  if (need === 'deadMail') return t.deadMail(counted(mail.dead));
  return need === 'lowDisk' ? t.lowDisk({ free: formatBytes(disk?.freeBytes ?? 0) }) : t.problems;
}

const countOf = (count: number, { countedTo }: Overview) =>
  `${formatCount(Math.min(count, countedTo))}${count > countedTo ? '+' : ''}`;

function Section(props: {
  id: string;
  title: string;
  link?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section aria-labelledby={props.id}>
      <div class="section-head">
        <h2 id={props.id}>{props.title}</h2>
        {props.link}
      </div>
      {props.children}
    </section>
  );
}

function ThisServer({ frame, overview }: OverviewPageProps) {
  const { database, auditStream } = overview;
  return (
    <Section id="server" title={t.server}>
      <Facts
        facts={[
          { label: t.version, value: overview.version },
          { label: t.node, value: overview.nodeVersion },
          { label: t.database, value: `${t.databases[database.dialect]} ${database.serverVersion}` },
          { label: t.schema, value: database.schema },
          { label: t.address, value: <bdi>{overview.publicUrl ?? t.noAddress}</bdi> },
          { label: t.mailServer, value: overview.canSendMail ? t.mailOn : t.mailOff },
          {
            label: t.auditStream,
            value: auditStream && <AuditStream stream={auditStream} now={frame.now} />,
          },
          { label: t.since, value: <Timestamp at={overview.startedAt} now={frame.now} /> },
        ]}
      />
    </Section>
  );
}

function AuditStream({ stream, now }: { stream: NonNullable<Overview['auditStream']>; now: number }) {
  const { receiver, waiting, sentAt, error } = stream;
  return (
    <>
      <bdi>{receiver}</bdi>
      <br />
      {error === null
        ? t.auditWaiting({ count: waiting })
        : t.auditFailing({ count: waiting, reason: error })}
      {sentAt !== null && (
        <>
          {' '}
          <Timestamp at={sentAt} now={now} />
        </>
      )}
    </>
  );
}

function InstallationContents({ overview }: OverviewPageProps) {
  const { counts, stored } = overview;
  return (
    <Section id="here" title={t.here}>
      <Facts
        facts={[
          { label: t.people, value: <a href={sitePaths.people}>{formatCount(counts.people)}</a> },
          { label: t.projects, value: <OwnersLink list="projects" count={counts.projects} /> },
          { label: t.workspaces, value: <OwnersLink list="workspaces" count={counts.workspaces} /> },
          { label: t.apps, value: formatCount(stored.apps) },
          { label: t.builds, value: formatCount(stored.builds) },
        ]}
      />
    </Section>
  );
}

function OwnersLink({ list, count }: { list: 'projects' | 'workspaces'; count: number }) {
  return <a href={`${sitePaths.owners}?list=${list}`}>{formatCount(count)}</a>;
}

function BackgroundJobs({ frame, overview }: OverviewPageProps) {
  const { work, mail, doctor } = overview;
  const counted = (count: number) => countOf(count, overview);
  return (
    <Section id="background" title={t.background}>
      <Facts
        facts={[
          {
            label: t.work,
            value: (
              <Line
                parts={[
                  { text: t.waiting({ count: counted(work.waiting) }), address: jobsPath('waiting') },
                  { text: t.failing({ count: counted(work.failing) }), address: jobsPath('failing') },
                  { text: t.dead({ count: counted(work.dead) }), address: jobsPath('dead') },
                ]}
              />
            ),
          },
          {
            label: t.mail,
            value: (
              <Line
                parts={[
                  {
                    text: t.waiting({ count: counted(mail.waiting) }),
                    address: `${sitePaths.mailAdministration}?state=waiting`,
                  },
                  { text: t.failed({ count: counted(mail.dead) }), address: deadMailPath },
                ]}
              />
            ),
          },
          {
            label: t.doctor,
            value: (
              <>
                <a href={sitePaths.doctor}>{doctor ? doctorSummary(doctor.checks) : t.doctorNever}</a>{' '}
                {doctor && (
                  <span class="secondary">
                    <Timestamp at={doctor.at} now={frame.now} />
                  </span>
                )}
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}

function Line({ parts }: { parts: readonly { text: string; address: string }[] }) {
  return (
    <span class="fact-line">
      {parts.map(({ text, address }) => (
        <a key={address} href={address}>
          {text}
        </a>
      ))}
    </span>
  );
}

function Storage({ overview }: OverviewPageProps) {
  const { stored, disk } = overview;
  const kept = (part: { bytes: number; builds: number }) =>
    t.keptValue({ bytes: formatBytes(part.bytes), builds: part.builds });
  return (
    <>
      <Section id="storage" title={t.storage}>
        <Facts
          facts={[
            { label: t.kept, value: kept(stored) },
            { label: texts.platforms.ios, value: kept(stored.byPlatform.ios) },
            { label: texts.platforms.android, value: kept(stored.byPlatform.android) },
            { label: t.place, value: <bdi>{describePlace(overview.place)}</bdi> },
            {
              label: t.free,
              value:
                disk &&
                t.freeValue({ free: formatBytes(disk.freeBytes), total: formatBytes(disk.totalBytes) }),
            },
          ]}
        />
      </Section>
      <Section
        id="largest"
        title={t.largest}
        link={
          <a class="fine" href={sitePaths.owners}>
            {t.allOwners}
          </a>
        }
      >
        {stored.owners.length === 0 ? (
          <p class="secondary">{t.nothingStored}</p>
        ) : (
          <ul class="link-list">
            {stored.owners.slice(0, shownOwners).map((owner) => (
              <li key={owner.id}>
                <span class="line">
                  <a
                    href={ownerSettingsPath({
                      kind: owner.kind === 'user' ? 'user' : 'project',
                      name: owner.name,
                    })}
                  >
                    <bdi>{owner.name}</bdi>
                  </a>
                  <span class="secondary fine">{kept(owner)}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

export function describePlace(place: BlobConfig): string {
  if (place.kind === 'disk') return t.folder({ path: place.folder });
  const where = place.endpoint ?? t.amazon({ region: place.region });
  const { bucket, prefix } = place;
  return prefix === '' ? t.bucket({ bucket, where }) : t.bucketPrefix({ bucket, prefix, where });
}
