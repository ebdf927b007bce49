import { Facts } from '../web/facts.tsx';
import { FormHead } from '../web/form-field.tsx';
import { renderPage } from '../web/layout.tsx';
import { mailTexts } from '../web/mail-texts.ts';
import { Moment } from '../web/moment.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { texts } from '../web/texts.ts';
import type { BuildMail } from './build-mail.ts';
import { appName, appVersion, buildMailSubject } from './build-mail-text.ts';
import type { Mail } from './mail.ts';
import { mailAdministrationPath, mailAgainPath, mailHtmlPath } from './mail-addresses.ts';
import { Hindrance, StateBadge } from './mail-administration-page.tsx';
import type { MailHindrance } from './mail-config.ts';

export interface MailPageProps {
  frame: PageFrame;
  hindrance: MailHindrance;
  mail: Mail;
  told: BuildMail;
  /** The text part of the message. */
  text: string;
}

const words = mailTexts.administration;

/** One mail with what became of it, and with what it says. */
export function renderMailPage(props: MailPageProps): string {
  const { mail, told } = props;
  return renderPage({
    frame: props.frame,
    title: buildMailSubject(told),
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <p class="kind">
            <a href={mailAdministrationPath}>{words.title}</a> <StateBadge state={mail.state} />
          </p>
          <h1>
            <bdi>{buildMailSubject(told)}</bdi>
          </h1>
          <p class="under-title secondary">{words.meanings[mail.state]}</p>
        </div>
        <Hindrance hindrance={props.hindrance} />
        <Outcome {...props} />
        <section aria-labelledby="text">
          <div class="section-head">
            <h2 id="text">{words.text}</h2>
            <a href={mailHtmlPath(mail.id)}>{words.html}</a>
          </div>
          <pre class="scroll mail-text">{props.text}</pre>
        </section>
      </>
    ),
  });
}

function Outcome({ frame, hindrance, mail, told }: MailPageProps) {
  const platform = texts.platforms[told.app.platform];
  return (
    <div class="mail-outcome">
      <Facts
        facts={[
          { label: words.person, value: <bdi>{told.userName}</bdi> },
          { label: words.to, value: <bdi>{mail.address}</bdi> },
          { label: words.build, value: <bdi>{`${appName(told)} ${appVersion(told)}, ${platform}`}</bdi> },
          { label: words.error, value: mail.lastError },
          { label: words.attempts, value: mail.attempts },
          { label: words.made, value: <Moment at={mail.createdAt} now={frame.now} exact /> },
          { label: words.changed, value: <Moment at={mail.updatedAt} now={frame.now} exact /> },
        ]}
      />
      {mail.state === 'dead' && hindrance === null && (
        <form method="post" action={mailAgainPath(mail.id)}>
          <FormHead frame={frame} act="again" />
          <button class="button" type="submit">
            {words.again}
          </button>
        </form>
      )}
    </div>
  );
}
