/** Messages of the upload page, which are in the page as JSON in `data-words`. */
import { isRecord } from '../json.ts';

const names = [
  'ready',
  'waiting',
  'sending',
  'rate',
  'left',
  'soon',
  'reading',
  'canceled',
  'interrupted',
  'unready',
  'continued',
  'restarted',
  'changed',
  'unreadable',
  'unfinished',
  'noAccess',
  'signedOut',
  'failed',
  'tooLarge',
  'empty',
  'folder',
  'wrongKind',
  'revision',
  'said',
  'saidDone',
  'saidStopped',
  'actionOf',
] as const;

/** Messages with placeholders in braces. */
export type UploadTexts = Readonly<Record<(typeof names)[number], string>>;

/** Throws if a text is missing. */
export function readUploadTexts(json: string): UploadTexts {
  const texts: unknown = JSON.parse(json);
  if (!hasEveryText(texts)) throw new Error('the page is missing upload messages');
  return texts;
}

/** Replaces `{name}` with the value of that name. */
export function fillIn(pattern: string, values: Readonly<Record<string, string | number>>): string {
  return pattern.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

function hasEveryText(texts: unknown): texts is UploadTexts {
  return isRecord(texts) && names.every((name) => typeof texts[name] === 'string');
}
