/** Messages of the shell, and those that several features share. */
import { catalog } from '../../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const texts = catalog({ en, ja });

/** When to try again. */
export const waitText = (seconds: number): string =>
  seconds <= 60 ? texts.errors.waitMoment : texts.errors.waitMinutes({ minutes: Math.ceil(seconds / 60) });
