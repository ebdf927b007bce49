import { catalog, messageAt } from '../../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const installCheckTexts = catalog({ en, ja });

/** The text of a reason, or its code if this version does not know it. */
export const reasonText = (reason: string) => messageAt(installCheckTexts.reasons, reason) ?? reason;
