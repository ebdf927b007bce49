/** The message of a mail, ready for the mail server. */
import type { Data } from '../../db/data.ts';
import type { Mail } from '../mail.ts';
import type { MailAddress, MailMessage } from '../mailer.ts';
import { mailLinks, unsubscribePath } from '../pages/mail-addresses.ts';
import { mailChoiceQueries } from '../pages/mail-choice-queries.ts';
import type { UnsubscribeTokens } from '../pages/unsubscribe-token.ts';
import type { BuildMail, LoadBuildMail } from './build-mail.ts';
import { renderBuildMailHtml } from './build-mail-html.tsx';
import { buildMailSubject, renderBuildMailText } from './build-mail-text.ts';

/** Null when the person is not to get the mail any more. */
export type ComposeMail = (mail: Mail) => Promise<MailMessage | null>;

export interface ComposeParts {
  data: Data;
  load: LoadBuildMail;
  tokens: UnsubscribeTokens;
  from: MailAddress;
  /** The public origin. */
  origin: string;
  now: () => number;
}

export function createComposeMail(parts: ComposeParts): ComposeMail {
  const { data, from, origin } = parts;
  return async (mail) => {
    const told = await parts.load(mail);
    if (!told || !(await isStillWanted(data, told, mail.userId))) return null;
    const token = parts.tokens.sign({ userId: mail.userId, appId: told.app.id });
    const links = mailLinks(origin, `${origin}${unsubscribePath(token)}`);
    const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
    return {
      messageId: `${told.build.id}.${mail.userId}@${domain}`,
      date: parts.now(),
      from,
      to: { name: told.userName, address: mail.address },
      subject: buildMailSubject(told),
      headers: {
        // RFC 8058: mail programs offer a button that posts to this address.
        'List-Unsubscribe': `<${links.unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'List-Id': `<${told.app.id}.${new URL(origin).hostname}>`,
        // RFC 3834 and, for Exchange, [MS-OXCMAIL] 2.2.3.2.14: nobody's absence is to be answered to a machine.
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
      },
      text: renderBuildMailText(told, links),
      html: renderBuildMailHtml(told, links, told.icon === null ? null : `cid:${iconContentId}`),
      pictures:
        told.icon === null
          ? []
          : [
              {
                contentId: iconContentId,
                fileName: 'icon.png',
                contentType: 'image/png',
                bytes: told.icon,
              },
            ],
    };
  };
}

const iconContentId = 'icon@slipway';

/** Between the upload and a late try somebody may have left the team or turned the mail off. */
async function isStillWanted(data: Data, { app }: BuildMail, userId: string): Promise<boolean> {
  return (await mailChoiceQueries(data).listRecipients(app, { only: userId, most: 1 })).length > 0;
}
