import { catalog, messageAt } from '../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

/** Why a person gets a build email. */
export type MailReason = 'chosen' | 'team' | 'owner' | 'shared';

export const mailTexts = catalog({ en, ja });

/** Returns why an email was not sent: the text of a stored code, or the answer of the mail server. */
export const mailErrorText = (stored: string): string =>
  messageAt(mailTexts.administration.ownErrors, stored) ?? stored;
