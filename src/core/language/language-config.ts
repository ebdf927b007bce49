import type { Settings } from '../settings.ts';
import { type Language, languageCodes } from './languages.ts';

/** The language of people who have not chosen one and whose browser requests none that Slipway has. */
export const readLanguage = (settings: Settings): Language =>
  settings.choice('SLIPWAY_LANGUAGE', languageCodes, 'en');
