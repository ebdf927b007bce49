import { Facts } from '../../web/components/facts.tsx';
import { FormHead } from '../../web/components/form-field.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { renderAdministration } from '../../web/shell/administration-frame.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { Mail } from '../mail.ts';
import type { MailUnavailableReason } from '../mail-config.ts';
import { mailErrorText, mailTexts } from '../mail-texts.ts';
import type { BuildMail } from '../messages/build-mail.ts';
import { appName, appVersion, buildMailSubject } from '../messages/build-mail-text.ts';
import { MailUnavailable, StateBadge } from './mail-administration-page.tsx';
import { mailAdministrationPath, mailHtmlPath, mailRetryPath } from './mail-paths.ts';

export interface MailPageProps {
  frame: PageFrame;
  unavailableReason: MailUnavailableReason;
  mail: Mail;
  buildMail: BuildMail;
  /** Text part of the message. */
  text: string;
}

const t = mailTexts.administration;

/** An email with its delivery status and content. */
export function renderMailPage(props: MailPageProps): string {
  const { mail, buildMail } = props;
  return renderAdministration({
    frame: props.frame,
    part: 'mail',
    list: { label: t.title, address: mailAdministrationPath },
    title: buildMailSubject(buildMail),
    beside: <StateBadge state={mail.state} />,
    line: t.meanings[mail.state],
    children: (
      <div class="one-mail">
        <MailUnavailable unavailableReason={props.unavailableReason} />
        <Outcome {...props} />
        <section aria-labelledby="text">
          <div class="section-head">
            <h2 id="text">{t.text}</h2>
            <a href={mailHtmlPath(mail.id)}>{t.html}</a>
          </div>
          <pre class="scroll mail-text">{props.text}</pre>
        </section>
      </div>
    ),
  });
}

function Outcome({ frame, unavailableReason, mail, buildMail }: MailPageProps) {
  const platform = texts.platforms[buildMail.app.platform];
  return (
    <div class="mail-outcome">
      <Facts
        facts={[
          { label: t.person, value: <bdi>{buildMail.userName}</bdi> },
          { label: t.to, value: <bdi>{mail.address}</bdi> },
          {
            label: t.build,
            value: <bdi>{`${appName(buildMail)} ${appVersion(buildMail)} · ${platform}`}</bdi>,
          },
          { label: t.error, value: mail.lastError && mailErrorText(mail.lastError) },
          { label: t.attempts, value: mail.attempts },
          { label: t.created, value: <Timestamp at={mail.createdAt} now={frame.now} exact /> },
          { label: t.changed, value: <Timestamp at={mail.updatedAt} now={frame.now} exact /> },
        ]}
      />
      {mail.state === 'dead' && unavailableReason === null && (
        <form method="post" action={mailRetryPath(mail.id)}>
          <FormHead frame={frame} />
          <button class="button button-primary" type="submit">
            {t.retry}
          </button>
        </form>
      )}
    </div>
  );
}
