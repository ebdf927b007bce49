import { versionText } from '../../apps/builds/version-text.ts';
import { Badge, Callout, type Tone } from '../../web/components/callout.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { formatCount, joinSentences } from '../../web/components/formats.ts';
import { LivePart } from '../../web/components/live-part.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { renderAdministration } from '../../web/shell/administration-frame.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { type MailAbout, type MailListItem, type MailState, mailStates } from '../mail.ts';
import type { MailUnavailableReason } from '../mail-config.ts';
import { mailErrorText, mailTexts } from '../mail-texts.ts';
import { mailAdministrationPath, mailPath, sendTestEmailPath } from './mail-paths.ts';

export interface MailListPageProps {
  frame: PageFrame;
  unavailableReason: MailUnavailableReason;
  /** Number of emails per state, counted up to `countedTo`. */
  counts: Readonly<Record<MailState, number>>;
  countedTo: number;
  /** Null for all states. */
  state: MailState | null;
  mails: readonly MailListItem[];
  paging: PageLinks;
  test: TestEmail;
}

export interface TestEmail {
  /** Address of the viewer. */
  address: string | null;
  /** Whether a test email was just sent. */
  sent: boolean;
  /** The answer of the mail server if it did not accept the email. */
  failure: { title: string; reason: string } | null;
}

const t = mailTexts.administration;

const tones: Record<MailState, Tone> = {
  waiting: 'plain',
  sending: 'plain',
  sent: 'good',
  dead: 'danger',
  uncertain: 'warning',
  closed: 'plain',
  kept: 'plain',
};

/** The delivery status of emails for administrators, newest first. */
export function renderMailListPage(props: MailListPageProps): string {
  return renderAdministration({
    frame: props.frame,
    part: 'mail',
    title: t.title,
    line: props.state === null ? t.lead : t.meanings[props.state],
    done:
      props.test.sent && props.test.address !== null
        ? mailTexts.test.sent({ address: props.test.address })
        : null,
    children: (
      <>
        <MailUnavailable unavailableReason={props.unavailableReason} />
        {props.unavailableReason === null && <SendTest frame={props.frame} test={props.test} />}
        <LivePart
          id="mail"
          pending={props.mails.some(({ mail }) => mail.state === 'waiting' || mail.state === 'sending')}
        >
          <States {...props} />
          {props.mails.length === 0 ? (
            <EmptyState title={t.empty}>
              <p class="secondary">{t.emptyLine}</p>
            </EmptyState>
          ) : (
            <ul class="link-list">
              {props.mails.map((line) => (
                <Line key={line.mail.id} line={line} now={props.frame.now} />
              ))}
            </ul>
          )}
          <Paging links={props.paging} label={t.more} />
        </LivePart>
      </>
    ),
  });
}

function SendTest({ frame, test }: { frame: PageFrame; test: TestEmail }) {
  const words = mailTexts.test;
  return (
    <>
      {test.failure && (
        <div role="alert">
          <Callout
            tone="danger"
            title={test.failure.title}
            sentences={[mailErrorText(test.failure.reason)]}
          />
        </div>
      )}
      {test.address === null ? (
        <p class="secondary">{words.noAddress}</p>
      ) : (
        <PostForm frame={frame} class="actions" action={sendTestEmailPath}>
          <SubmitButton label={words.send} />
          <span class="soft fine">{words.to({ address: test.address })}</span>
        </PostForm>
      )}
    </>
  );
}

export function MailUnavailable({ unavailableReason }: { unavailableReason: MailUnavailableReason }) {
  if (unavailableReason === null) return null;
  return (
    <Callout
      tone="warning"
      title={mailTexts.unavailableTitle}
      sentences={[joinSentences([mailTexts.unavailableReasons[unavailableReason], mailTexts.kept])]}
    />
  );
}

export function StateBadge({ state }: { state: MailState }) {
  return <Badge tone={tones[state]}>{t.states[state]}</Badge>;
}

/** All states with emails, with the selected one marked. */
function States({ counts, countedTo, state }: MailListPageProps) {
  const shown = mailStates.filter((one) => counts[one] > 0 || one === state);
  if (shown.length === 0) return null;
  return (
    <nav class="actions mail-states" aria-label={t.filter}>
      <a class="button" href={mailAdministrationPath} aria-current={state === null ? 'page' : undefined}>
        {t.all}
      </a>
      {shown.map((one) => (
        <a
          key={one}
          class="button"
          href={`${mailAdministrationPath}?state=${one}`}
          aria-current={one === state ? 'page' : undefined}
        >
          {t.states[one]}
          <span class="count">
            {formatCount(Math.min(counts[one], countedTo))}
            {counts[one] > countedTo && '+'}
          </span>
        </a>
      ))}
    </nav>
  );
}

/** App and version, as in the subject of the email. */
export const aboutText = (about: MailAbout) => `${about.app} ${versionText(about)}`;

function Line({ line, now }: { line: MailListItem; now: number }) {
  const { mail } = line;
  return (
    <li>
      <span class="line">
        <a href={mailPath(mail.id)}>
          <bdi>{aboutText(line.about)}</bdi>
        </a>
        <StateBadge state={mail.state} />
      </span>
      <ul class="trail">
        <li>
          <bdi>{line.userName}</bdi>
        </li>
        <li>
          <bdi>{mail.address}</bdi>
        </li>
        <li>{texts.platforms[line.about.platform]}</li>
        <li>
          <Timestamp at={mail.updatedAt} now={now} />
        </li>
        {mail.lastError !== null && <li dir="auto">{mailErrorText(mail.lastError)}</li>}
      </ul>
    </li>
  );
}
