/** The form of the check settings: its fields, initial values, and the settings that it requests. Pure. */
import { readByteSize, writeByteSize } from '../../core/byte-size.ts';
import { type FieldErrors, refuseFields } from '../../core/errors.ts';
import {
  type CheckSettings,
  type GrowthLimit,
  type Level,
  type LeveledCheck,
  leveledChecks,
  levels,
  maxBranchCharacters,
  maxPatternCharacters,
  maxPatterns,
} from './check-settings.ts';
import { checkTexts, limitText } from './check-texts.ts';
import type { Destination } from './store-rules.ts';

export const textFields = [
  'warn-bytes',
  'warn-percent',
  'fail-bytes',
  'fail-percent',
  'max-download',
  'branch',
  'denied',
  'allowed',
] as const;
export type TextFieldName = (typeof textFields)[number];
export const levelField = (check: LeveledCheck) => `level-${check.replaceAll('_', '-')}` as const;
export type LevelFieldName = ReturnType<typeof levelField>;

export type SettingsValues = Readonly<Record<TextFieldName | LevelFieldName, string>> & {
  /** One per line. */
  readonly destination: string;
};

const t = checkTexts.form;
const numberText = (number: number | null) => (number === null ? '' : String(number));
/** In decimal units where they are exact, otherwise as `writeByteSize`, so that nothing is lost. */
const exactSize = (bytes: number) => {
  const text = limitText(bytes);
  return readByteSize(text) === bytes ? text : writeByteSize(bytes);
};
const sizeText = (bytes: number | null) => (bytes === null ? '' : exactSize(bytes));

export const settingsValues = (settings: CheckSettings): SettingsValues =>
  ({
    destination: settings.destinations.join('\n'),
    'warn-bytes': sizeText(settings.warnAbove.bytes),
    'warn-percent': numberText(settings.warnAbove.percent),
    'fail-bytes': sizeText(settings.failAbove.bytes),
    'fail-percent': numberText(settings.failAbove.percent),
    'max-download': sizeText(settings.maxDownloadBytes),
    branch: settings.defaultBranch,
    denied: settings.deniedLibraries.join('\n'),
    allowed: settings.allowedLibraries.join('\n'),
    ...Object.fromEntries(leveledChecks.map((check) => [levelField(check), settings.levels[check]])),
  }) as SettingsValues;

/** Throws `FormInvalid`. */
export function readSettings(sent: SettingsValues, before: CheckSettings): CheckSettings {
  const errors: Record<string, string[]> = {};
  const size = (field: TextFieldName) => {
    const text = sent[field].trim();
    if (text === '') return null;
    const bytes = text === '0' ? 0 : readByteSize(text);
    if (bytes === null) errors[field] = [t.badSize];
    return bytes;
  };
  const percent = (field: TextFieldName) => {
    const text = sent[field].trim().replace(/%$/, '').trimEnd();
    if (text === '') return null;
    const number = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(number <= maxPercent)) errors[field] = [t.badPercent];
    return number;
  };
  const patterns = (field: 'denied' | 'allowed') => {
    const lines = sent[field]
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .filter(Boolean);
    const isLong = lines.some((line) => line.length > maxPatternCharacters);
    if (lines.length > maxPatterns || isLong)
      errors[field] = [t.tooManyPatterns({ limit: maxPatterns, length: maxPatternCharacters })];
    return lines;
  };
  const limit = (level: 'warn' | 'fail'): GrowthLimit => ({
    bytes: size(`${level}-bytes`),
    percent: percent(`${level}-percent`),
  });
  const branch = sent.branch.trim();
  if (branch.length > maxBranchCharacters) errors.branch = [t.tooLong({ limit: maxBranchCharacters })];
  const settings = {
    destinations: sent.destination.split('\n').filter(Boolean) as Destination[],
    defaultBranch: branch,
    warnAbove: limit('warn'),
    failAbove: limit('fail'),
    maxDownloadBytes: size('max-download'),
    levels: Object.fromEntries(
      leveledChecks.map((check) => {
        const given = levels.find((level) => level === sent[levelField(check)]);
        return [check, given ?? before.levels[check]];
      }),
    ) as Record<LeveledCheck, Level>,
    deniedLibraries: patterns('denied'),
    allowedLibraries: patterns('allowed'),
  };
  refuseFields(errors as FieldErrors);
  return settings;
}

export const maxPercent = 1000;
