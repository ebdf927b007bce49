import { catalog } from '../../../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const sentenceTexts = catalog({ en, ja });
