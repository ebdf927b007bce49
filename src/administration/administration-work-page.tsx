/** Background jobs, for administrators: pending and failed ones, with actions. */
import type { Job } from '../jobs/outbox.ts';
import { mailPath } from '../mail/pages/mail-addresses.ts';
import { Badge, type Tone } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { FormHead } from '../web/components/form-field.tsx';
import { formatCount } from '../web/components/formats.ts';
import { Moment } from '../web/components/moment.tsx';
import { type PageLinks, Paging } from '../web/components/paging.tsx';
import { Choices, renderAdministration } from '../web/shell/administration-frame.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { siteAddresses } from '../web/shell/site-addresses.ts';
import { jobsPath } from './administration-addresses.ts';
import { administrationTexts } from './administration-texts.ts';
import {
  canDiscard,
  subjectOf,
  type Work,
  type WorkState,
  type WorkSubject,
  workStates,
} from './administration-work.ts';

export interface WorkPageProps {
  frame: PageFrame;
  /** Null: all states. */
  state: WorkState | null;
  /** Counted up to `countedTo`. */
  counts: Readonly<Record<WorkState, number>>;
  countedTo: number;
  work: readonly Work[];
  subjects: ReadonlyMap<string, WorkSubject>;
  paging: PageLinks;
  done: string | null;
}

const words = administrationTexts.work;

const tones: Record<WorkState, Tone> = {
  dead: 'danger',
  failing: 'warning',
  running: 'good',
  waiting: 'plain',
  planned: 'plain',
};

export function renderWorkPage(props: WorkPageProps): string {
  const { frame, state, work } = props;
  return renderAdministration({
    frame,
    part: 'work',
    line: state === null ? words.line : words.meanings[state],
    done: props.done,
    children: (
      <>
        <States {...props} />
        {work.length === 0 ? (
          <EmptyState title={state === null ? words.empty : words.emptyState}>
            <p class="secondary">{words.emptyLine}</p>
          </EmptyState>
        ) : (
          <ul class="link-list">
            {work.map((one) => (
              <Line key={one.id} {...props} one={one} />
            ))}
          </ul>
        )}
        <Paging links={props.paging} label={words.more} />
      </>
    ),
  });
}

function States({ counts, countedTo, state }: WorkPageProps) {
  const shown = workStates.filter((one) => counts[one] > 0 || one === state);
  if (shown.length === 0) return null;
  const choice = (one: WorkState) => ({
    label: words.states[one],
    address: jobsPath(one),
    chosen: one === state,
    count: `${formatCount(Math.min(counts[one], countedTo))}${counts[one] > countedTo ? '+' : ''}`,
  });
  const all = { label: words.all, address: jobsPath(null), chosen: state === null };
  return <Choices label={words.filter} choices={[all, ...shown.map(choice)]} />;
}

/** Describes the job in one sentence. */
export function sentenceOf(job: Job, subjects: ReadonlyMap<string, WorkSubject>): string {
  if (job.kind === 'send-letter') return words.letters[job.letter.about] ?? words.kinds[job.kind] ?? job.kind;
  const of = subjectOf(job);
  const subject = of === null ? undefined : subjects.get(of.id);
  const name = subject ? words.subject(subject.name, subject.revision) : words.goneSubject;
  return (words.kinds[job.kind] ?? job.kind).replace('{}', () => name);
}

function Line(props: WorkPageProps & { one: Work }) {
  const { frame, one, subjects } = props;
  const sentence = sentenceOf(one.job, subjects);
  const failed = one.state === 'dead' || one.state === 'failing';
  return (
    <li>
      <span class="line">
        <strong class="version">
          <bdi>{sentence}</bdi>
        </strong>
        <Badge tone={tones[one.state]}>{words.states[one.state]}</Badge>
      </span>
      <span class="under-title secondary fine">
        <span>
          {words.made} <Moment at={one.madeAt} now={frame.now} />
        </span>
        {one.attempts > 0 && <span>{words.tries(one.attempts)}</span>}
        {(one.state === 'failing' || one.state === 'planned') && (
          <span>
            {words.next} <Moment at={one.dueAt} now={frame.now} />
          </span>
        )}
        {one.job.kind === 'send-mail' && <a href={mailPath(one.job.mailId)}>{words.seeMail}</a>}
      </span>
      {failed && (
        <code class="machine work-error" dir="auto">
          {one.lastError ?? words.noReason}
        </code>
      )}
      {failed && <Actions {...props} sentence={sentence} />}
    </li>
  );
}

function Actions({ frame, state, one, sentence }: WorkPageProps & { one: Work; sentence: string }) {
  const path = `${siteAddresses.work}/${one.id}`;
  const head = (
    <>
      <FormHead frame={frame} />
      {state !== null && <input type="hidden" name="state" value={state} />}
    </>
  );
  return (
    <div class="work-deeds">
      <form method="post" action={`${path}/retry`}>
        {head}
        <button class="button button-small" type="submit" aria-label={words.runAgainOf(sentence)}>
          {words.runAgain}
        </button>
      </form>
      {canDiscard(one.job.kind) && (
        <details class="quiet-fold">
          <summary aria-label={words.giveUpOf(sentence)}>{words.giveUp}</summary>
          <form class="care-form" method="post" action={`${path}/delete`}>
            {head}
            <p class="hint">{words.consequences[one.job.kind]}</p>
            <button class="button button-small button-danger" type="submit">
              {words.giveUpButton}
            </button>
          </form>
        </details>
      )}
    </div>
  );
}
