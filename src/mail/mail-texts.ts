import { catalog } from '../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

/** Why a person receives a build email. */
export type MailReason = 'chosen' | 'team' | 'owner' | 'shared';

export const mailTexts = catalog({ en, ja });
