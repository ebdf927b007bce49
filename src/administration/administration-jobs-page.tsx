/** Background jobs, for administrators: pending and failed ones, with actions. */

import { messageAt } from '../core/language/catalog.ts';
import type { Job } from '../jobs/outbox.ts';
import { mailPath } from '../mail/pages/mail-paths.ts';
import { Badge, type Tone } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { Confirm, PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { formatCount } from '../web/components/formats.ts';
import { LivePart } from '../web/components/live-part.tsx';
import { timeOf } from '../web/components/message-tags.tsx';
import { type PageLinks, Paging } from '../web/components/paging.tsx';
import { Choices, renderAdministration } from '../web/shell/administration-frame.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import {
  type AdministeredJob,
  canDiscard,
  groupJobs,
  type JobState,
  type JobSubject,
  jobStates,
  subjectOf,
} from './administration-jobs.ts';
import { jobsPath } from './administration-paths.ts';
import { administrationTexts } from './administration-texts.ts';

export interface JobsPageProps {
  frame: PageFrame;
  /** Null for all states. */
  state: JobState | null;
  /** Counted up to `countedTo`. */
  counts: Readonly<Record<JobState, number>>;
  countedTo: number;
  work: readonly AdministeredJob[];
  subjects: ReadonlyMap<string, JobSubject>;
  paging: PageLinks;
  done: string | null;
}

const t = administrationTexts.work;

const tones: Record<JobState, Tone> = {
  dead: 'danger',
  failing: 'warning',
  running: 'good',
  waiting: 'plain',
  planned: 'plain',
};

export function renderJobsPage(props: JobsPageProps): string {
  const { frame, state, work } = props;
  return renderAdministration({
    frame,
    part: 'work',
    line: state === null ? t.line : t.meanings[state],
    done: props.done,
    children: (
      <LivePart id="work" pending={work.some((one) => one.state === 'running' || one.state === 'waiting')}>
        <States {...props} />
        {work.length === 0 ? (
          <EmptyState title={state === null ? t.empty : t.emptyState}>
            <p class="secondary">{t.emptyLine}</p>
          </EmptyState>
        ) : (
          <ul class="link-list">
            {groupJobs(work).map((group) => (
              <Group key={group[0]?.id} {...props} group={group} />
            ))}
          </ul>
        )}
        <Paging links={props.paging} label={t.more} />
      </LivePart>
    ),
  });
}

function States({ counts, countedTo, state }: JobsPageProps) {
  const shown = jobStates.filter((one) => counts[one] > 0 || one === state);
  if (shown.length === 0) return null;
  const choice = (one: JobState) => ({
    label: t.states[one],
    address: jobsPath(one),
    chosen: one === state,
    count: `${formatCount(Math.min(counts[one], countedTo))}${counts[one] > countedTo ? '+' : ''}`,
  });
  const all = { label: t.all, address: jobsPath(null), chosen: state === null };
  return <Choices label={t.filter} choices={[all, ...shown.map(choice)]} />;
}

function nameOf(subject: JobSubject | undefined): string {
  if (!subject) return t.goneSubject;
  const { name, revision } = subject;
  return revision === null ? name : t.subject({ name, revision });
}

/** Describes the job in one sentence. */
export function sentenceOf(job: Job, subjects: ReadonlyMap<string, JobSubject>): string {
  const of = subjectOf(job);
  return kindText(job, nameOf(of === null ? undefined : subjects.get(of.id)));
}

function kindText(job: Job, subject: string): string {
  if (job.kind === 'send-account-email')
    return messageAt(t.emails, job.accountEmail.about) ?? t.kinds['send-account-email'];
  const kinds: Readonly<Record<string, string | ((values: { subject: string }) => string) | undefined>> =
    t.kinds;
  const sentence = kinds[job.kind] ?? job.kind;
  return typeof sentence === 'string' ? sentence : sentence({ subject });
}

/** Several jobs of one kind: how many, and when the earliest is due; expands to show each of them. */
function Group(props: JobsPageProps & { group: readonly AdministeredJob[] }) {
  const { frame, group } = props;
  const [first] = group;
  if (!first) return null;
  if (group.length === 1) return <Line {...props} one={first} />;
  return (
    <li>
      <span class="line">
        <strong class="version">
          <bdi>{messageAt(t.together, first.job.kind) ?? sentenceOf(first.job, new Map())}</bdi>{' '}
          <span class="count">{formatCount(group.length)}</span>
        </strong>
        <Badge tone={tones[first.state]}>{t.states[first.state]}</Badge>
      </span>
      {first.state === 'planned' && (
        <span class="secondary fine">
          {t.next({ time: timeOf(Math.min(...group.map(({ dueAt }) => dueAt)), frame.now) })}
        </span>
      )}
      <details class="quiet-fold">
        <summary>{t.each}</summary>
        <ul class="link-list after-list">
          {group.map((one) => (
            <Line key={one.id} {...props} one={one} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function Line(props: JobsPageProps & { one: AdministeredJob }) {
  const { frame, one, subjects } = props;
  const sentence = sentenceOf(one.job, subjects);
  const failed = one.state === 'dead' || one.state === 'failing';
  return (
    <li>
      <span class="line">
        <strong class="version">
          <bdi>{sentence}</bdi>
        </strong>
        <Badge tone={tones[one.state]}>{t.states[one.state]}</Badge>
      </span>
      <span class="under-title secondary fine">
        <span>{t.made({ time: timeOf(one.madeAt, frame.now) })}</span>
        {one.attempts > 0 && <span>{t.tries({ count: one.attempts })}</span>}
        {(one.state === 'failing' || one.state === 'planned') && (
          <span>{t.next({ time: timeOf(one.dueAt, frame.now) })}</span>
        )}
        {one.job.kind === 'send-mail' && <a href={mailPath(one.job.mailId)}>{t.seeMail}</a>}
      </span>
      {failed && (
        <code class="machine work-error" dir="auto">
          {one.lastError ?? t.noReason}
        </code>
      )}
      {failed && <Actions {...props} sentence={sentence} />}
    </li>
  );
}

function Actions({
  frame,
  state,
  one,
  sentence,
}: JobsPageProps & { one: AdministeredJob; sentence: string }) {
  const path = `${sitePaths.work}/${one.id}`;
  const filter = state !== null && <input type="hidden" name="state" value={state} />;
  return (
    <div class="work-deeds">
      <PostForm frame={frame} action={`${path}/retry`}>
        {filter}
        <SubmitButton label={t.runAgain} aria-label={t.runAgainOf({ what: sentence })} />
      </PostForm>
      {canDiscard(one.job.kind) && (
        <Confirm
          frame={frame}
          action={`${path}/delete`}
          ask={t.giveUp}
          label={t.giveUpOf({ what: sentence })}
          line={messageAt(t.consequences, one.job.kind)}
          button={t.giveUpButton}
          tone="quiet"
        >
          {filter}
        </Confirm>
      )}
    </div>
  );
}
