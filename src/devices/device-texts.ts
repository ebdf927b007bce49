import { catalog } from '../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const deviceTexts = catalog({ en: en.register, ja: ja.register });
export const deviceListTexts = catalog({ en: en.list, ja: ja.list });
export const ownDeviceTexts = catalog({ en: en.own, ja: ja.own });
