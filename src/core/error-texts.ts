import { catalog } from './language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const errorTexts = catalog({ en, ja });
