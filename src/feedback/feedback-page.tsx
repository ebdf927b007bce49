/** The page of one piece of feedback, with its screenshots and actions. */

import { type AppHead, renderAppArea } from '../apps/app-head.tsx';
import { revisionPath } from '../apps/app-paths.ts';
import { appTexts } from '../apps/app-texts.ts';
import { versionText } from '../apps/builds/version-text.ts';
import { Facts } from '../web/components/facts.tsx';
import {
  Choice,
  Confirm,
  Field,
  FieldErrors,
  PostForm,
  SubmitButton,
} from '../web/components/form-field.tsx';
import { joinSentences } from '../web/components/formats.ts';
import { isolated, timeOf } from '../web/components/message-tags.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { type FeedbackReply, feedbackStatuses, type ListedFeedback, type Screenshot } from './feedback.ts';
import { feedbackPath, screenshotPath } from './feedback-paths.ts';
import { feedbackTexts } from './feedback-texts.ts';
import { StatusBadge } from './inbox-page.tsx';

export interface FeedbackPageProps {
  frame: PageFrame;
  head: AppHead;
  feedback: ListedFeedback;
  screenshots: readonly Screenshot[];
  replies: readonly FeedbackReply[];
  canSendMail: boolean;
  submitted: { reply: string };
  errors: Readonly<Record<string, readonly string[] | undefined>>;
  done: string | null;
}

const t = feedbackTexts.detail;
const senderOf = ({ sender, email }: ListedFeedback) => sender ?? email ?? feedbackTexts.inbox.anonymous;

export function renderFeedbackPage(props: FeedbackPageProps): string {
  const { frame, head, feedback } = props;
  const address = feedbackPath(head.app, feedback.id);
  return renderAppArea({
    frame,
    head,
    tab: 'feedback',
    title: t.title({ revision: feedback.revision }),
    crumb: { label: t.crumb, address },
    state: <StatusBadge status={feedback.status} />,
    line: t.from({ sender: senderOf(feedback) }),
    done: props.done,
    children: (
      <div class="columns columns-aside">
        <div>
          <section class="section" aria-labelledby="message">
            <h2 id="message">{t.message}</h2>
            <p class="feedback-text" dir="auto">
              {feedback.text}
            </p>
          </section>
          <Screenshots {...props} />
          <Replies {...props} />
          <ReplyForm {...props} action={`${address}/reply`} />
        </div>
        <div class="aside">
          <StatusForm frame={frame} feedback={feedback} errors={props.errors} action={`${address}/status`} />
          <Details {...props} />
          <section class="section" aria-labelledby="delete">
            <h2 id="delete">{t.remove}</h2>
            <Confirm frame={frame} action={`${address}/delete`} ask={t.removeButton} line={t.removeLine} />
          </section>
        </div>
      </div>
    ),
  });
}

function Screenshots({ head, feedback, screenshots }: FeedbackPageProps) {
  if (screenshots.length === 0) return null;
  return (
    <section class="section" aria-labelledby="screenshots">
      <h2 id="screenshots">{t.screenshots}</h2>
      <ul class="feedback-screenshots">
        {screenshots.map(({ number }) => {
          const address = screenshotPath(head.app, feedback.id, number);
          return (
            <li key={number}>
              <a href={address}>
                <img src={address} alt="" loading="lazy" />
                {t.screenshot({ number })}
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Details({ frame, head, feedback }: FeedbackPageProps) {
  const { app } = head;
  const labels = feedbackTexts.inbox;
  return (
    <section class="section" aria-labelledby="details">
      <h2 id="details">{t.details}</h2>
      <Facts
        facts={[
          {
            label: labels.build,
            value: (
              <a href={revisionPath(app.owner, app.platform, app.packageName, feedback.revision)}>
                <bdi>{versionText(feedback)}</bdi> {appTexts.app.revision({ revision: feedback.revision })}
              </a>
            ),
          },
          { label: labels.device, value: <bdi>{feedback.device}</bdi> },
          { label: t.page, value: <bdi>{feedback.pageName}</bdi> },
          { label: t.email, value: <bdi>{feedback.email ?? t.noEmail}</bdi> },
          { label: labels.received, value: <Timestamp at={feedback.createdAt} now={frame.now} exact /> },
        ]}
      />
    </section>
  );
}

function StatusForm({
  frame,
  feedback,
  errors,
  action,
}: Pick<FeedbackPageProps, 'frame' | 'feedback' | 'errors'> & { action: string }) {
  return (
    <PostForm frame={frame} class="form" action={action}>
      <fieldset class="choices" id="status">
        <legend>{t.status}</legend>
        {feedbackStatuses.map((status) => (
          <Choice
            key={status}
            type="radio"
            id={`status-${status}`}
            name="status"
            value={status}
            checked={feedback.status === status}
            label={feedbackTexts.statuses[status]}
          />
        ))}
        <FieldErrors id="status" errors={errors.status ?? []} />
      </fieldset>
      <p class="actions">
        <SubmitButton label={t.statusButton} />
      </p>
    </PostForm>
  );
}

function Replies({ frame, replies }: FeedbackPageProps) {
  if (replies.length === 0) return null;
  return (
    <section class="section" aria-labelledby="replies">
      <h2 id="replies">{t.replies}</h2>
      {replies.map((reply) => (
        <article key={reply.id} class="panel feedback-reply">
          <p class="soft">
            {t.replyBy({
              author: reply.author,
              state: t.replyStates[reply.state],
              name: isolated,
              time: timeOf(reply.createdAt, frame.now),
            })}
          </p>
          <p class="feedback-text" dir="auto">
            {reply.text}
          </p>
        </article>
      ))}
    </section>
  );
}

function ReplyForm(props: FeedbackPageProps & { action: string }) {
  const { frame, feedback, canSendMail, submitted, errors } = props;
  if (feedback.email === null || !canSendMail) {
    return (
      <section class="section" aria-labelledby="reply">
        <h2 id="reply">{t.reply}</h2>
        <p class="soft">{feedback.email === null ? t.noReply : t.noMail}</p>
      </section>
    );
  }
  return (
    <section class="section" aria-label={t.reply}>
      <PostForm frame={frame} class="form" action={props.action}>
        <Field
          id="reply"
          label={t.reply}
          hint={joinSentences([t.replyTo({ address: feedback.email }), t.replyHint])}
          errors={errors.reply}
          control={(attributes) => (
            <textarea {...attributes} name="reply" rows={6} dir="auto" required value={submitted.reply}>
              {submitted.reply}
            </textarea>
          )}
        />
        <p class="actions">
          <SubmitButton label={t.replyButton} tone="primary" />
        </p>
      </PostForm>
    </section>
  );
}
