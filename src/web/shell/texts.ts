/** Messages of the frame, and those shared by several features. */
import { catalog } from '../../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const texts = catalog({ en, ja });

/** Returns when to try again. */
export const waitText = (seconds: number): string =>
  seconds <= 60 ? texts.errors.waitMoment : texts.errors.waitMinutes({ minutes: Math.ceil(seconds / 60) });
