import type { Settings } from '../settings.ts';
import { type Language, languageCodes } from './languages.ts';

/** The default language, for people who have not chosen one and browsers that request no supported language. */
export const readLanguage = (settings: Settings): Language =>
  settings.choice('SLIPWAY_LANGUAGE', languageCodes, 'en');
