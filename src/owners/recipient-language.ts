import { preferLanguage } from '../core/language/current-language.ts';
import type { Connection } from '../db/data.ts';
import { ownerQueries } from './owner-queries.ts';

/** Continues the current job in the language of a User, to write an email to them. */
export async function useLanguageOf(data: Connection, userId: string): Promise<void> {
  preferLanguage(await ownerQueries(data).findLanguage(userId));
}
