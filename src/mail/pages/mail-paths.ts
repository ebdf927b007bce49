/** Paths of the email pages. Links in emails are absolute. */
import { sitePaths } from '../../web/shell/site-paths.ts';

const segment = encodeURIComponent;

export const mailSettingsPath = sitePaths.mailSettings;
export const saveMailSettingsPath = `${mailSettingsPath}/save`;
export const mailAdministrationPath = sitePaths.mailAdministration;
/** Also used by the checklist on the start page. */
export const sendTestEmailPath = sitePaths.sendTestEmail;
export const mailPath = (mailId: string) => `${mailAdministrationPath}/${segment(mailId)}`;
export const mailHtmlPath = (mailId: string) => `${mailPath(mailId)}/html`;
export const mailRetryPath = (mailId: string) => `${mailPath(mailId)}/retry`;
export const unsubscribePath = (token: string) => `/unsubscribe/${segment(token)}`;
export const resubscribePath = (token: string) => `${unsubscribePath(token)}/undo`;

export interface MailLinks {
  origin: string;
  unsubscribe: string;
  settings: string;
}

export function mailLinks(origin: string, unsubscribe: string): MailLinks {
  return { origin, unsubscribe, settings: `${origin}${mailSettingsPath}` };
}
