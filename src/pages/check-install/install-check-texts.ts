import { catalog, messageAt } from '../../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const installCheckTexts = catalog({ en, ja });

/** Of a reason that this version does not know, its code. */
export const reasonText = (reason: string) => messageAt(installCheckTexts.reasons, reason) ?? reason;
