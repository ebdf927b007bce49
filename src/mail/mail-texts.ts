import { catalog, messageAt } from '../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

/** Why a person receives a build email. */
export type MailReason = 'chosen' | 'team' | 'owner' | 'shared';

export const mailTexts = catalog({ en, ja });

/** Why an email was not sent: a stored code, or what the mail server said. */
export const mailErrorText = (stored: string): string =>
  messageAt(mailTexts.administration.ownErrors, stored) ?? stored;
