/** Composes the message of an email for the mail server. */
import type { Data } from '../../db/data.ts';
import { admitsEmail } from '../../owners/policies/enforce-policies.ts';
import { useLanguageOf } from '../../owners/recipient-language.ts';
import type { Mail } from '../mail.ts';
import type { MailAddress, MailMessage } from '../mailer.ts';
import { mailChoiceQueries } from '../pages/mail-choice-queries.ts';
import { mailLinks, unsubscribePath } from '../pages/mail-paths.ts';
import type { UnsubscribeTokens } from '../pages/unsubscribe-token.ts';
import type { BuildMail, LoadBuildMail } from './build-mail.ts';
import { renderBuildMailHtml } from './build-mail-html.tsx';
import { buildMailSubject, renderBuildMailText } from './build-mail-text.ts';
import { subscriptionHeaders } from './subscription-headers.ts';

/** Returns null if the person must no longer receive the email. */
export type ComposeMail = (mail: Mail) => Promise<MailMessage | null>;

export interface ComposeDeps {
  data: Data;
  load: LoadBuildMail;
  tokens: UnsubscribeTokens;
  from: MailAddress;
  origin: string;
  now: () => number;
}

export function createComposeMail(deps: ComposeDeps): ComposeMail {
  const { data, from, origin } = deps;
  return async (mail) => {
    const buildMail = await deps.load(mail);
    if (!buildMail || !(await isStillSubscribed(data, buildMail, mail.userId))) return null;
    await useLanguageOf(data, mail.userId);
    const token = deps.tokens.issue({ userId: mail.userId, subjectId: buildMail.app.id });
    const links = mailLinks(origin, `${origin}${unsubscribePath(token)}`);
    const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
    return {
      messageId: `${buildMail.build.id}.${mail.userId}@${domain}`,
      date: deps.now(),
      from,
      to: { name: buildMail.userName, address: mail.address },
      subject: buildMailSubject(buildMail),
      headers: subscriptionHeaders(buildMail.app.id, links.unsubscribe, origin),
      text: renderBuildMailText(buildMail, links),
      html: renderBuildMailHtml(buildMail, links, buildMail.icon === null ? null : `cid:${iconContentId}`),
      pictures:
        buildMail.icon === null
          ? []
          : [
              {
                contentId: iconContentId,
                fileName: 'icon.png',
                contentType: 'image/png',
                bytes: buildMail.icon,
              },
            ],
    };
  };
}

const iconContentId = 'icon@slipway';

/** The person may have left the team or group, or unsubscribed since the upload, and a policy may refuse their address. */
async function isStillSubscribed(data: Data, { app, page }: BuildMail, userId: string): Promise<boolean> {
  const groupsOf = page?.access === 'groups' ? page.id : null;
  const [to] = await mailChoiceQueries(data).listRecipients(app, { only: userId, groupsOf, limit: 1 });
  return to !== undefined && (await admitsEmail(data, app.owner.id, to.address));
}
