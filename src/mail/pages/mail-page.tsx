import { Facts } from '../../web/components/facts.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { renderAdministration } from '../../web/shell/administration-frame.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { MailListItem } from '../mail.ts';
import type { MailUnavailableReason } from '../mail-config.ts';
import { mailErrorText, mailTexts } from '../mail-texts.ts';
import { aboutText, MailUnavailable, StateBadge } from './mail-administration-page.tsx';
import { mailAdministrationPath, mailHtmlPath, mailRetryPath } from './mail-paths.ts';

export interface MailPageProps {
  frame: PageFrame;
  unavailableReason: MailUnavailableReason;
  listed: MailListItem;
  /** Text part of the message. Null after the build was deleted. */
  text: string | null;
}

const t = mailTexts.administration;

/** An email with its delivery status and content. */
export function renderMailPage(props: MailPageProps): string {
  const { mail, about } = props.listed;
  return renderAdministration({
    frame: props.frame,
    part: 'mail',
    list: { label: t.title, address: mailAdministrationPath },
    title: aboutText(about),
    state: <StateBadge state={mail.state} />,
    line: t.meanings[mail.state],
    children: (
      <div class="one-mail">
        <MailUnavailable unavailableReason={props.unavailableReason} />
        <Outcome {...props} />
        <section aria-labelledby="text">
          <div class="section-head">
            <h2 id="text">{t.text}</h2>
            {props.text !== null && <a href={mailHtmlPath(mail.id)}>{t.html}</a>}
          </div>
          {props.text === null ? (
            <p class="secondary">{t.noText}</p>
          ) : (
            <pre class="scroll mail-text">{props.text}</pre>
          )}
        </section>
      </div>
    ),
  });
}

function Outcome({ frame, unavailableReason, listed, text }: MailPageProps) {
  const { mail, userName, about } = listed;
  return (
    <div class="mail-outcome">
      <Facts
        facts={[
          { label: t.person, value: <bdi>{userName}</bdi> },
          { label: t.to, value: <bdi>{mail.address}</bdi> },
          {
            label: t.build,
            value: <bdi>{`${aboutText(about)} · ${texts.platforms[about.platform]}`}</bdi>,
          },
          { label: t.error, value: mail.lastError && mailErrorText(mail.lastError) },
          { label: t.attempts, value: mail.attempts },
          { label: t.created, value: <Timestamp at={mail.createdAt} now={frame.now} exact /> },
          { label: t.changed, value: <Timestamp at={mail.updatedAt} now={frame.now} exact /> },
        ]}
      />
      {mail.state === 'dead' && unavailableReason === null && text !== null && (
        <PostForm frame={frame} action={mailRetryPath(mail.id)}>
          <SubmitButton label={t.retry} tone="primary" />
        </PostForm>
      )}
    </div>
  );
}
