/** The forms of the page settings: their fields, initial values, and the changes that they request. Pure. */
import * as v from 'valibot';
import type { DistributionPage } from '../distribution-page.ts';
import { noteDigest, type PageChanges } from './page-settings.ts';

const text = v.string();
/** For fields that not every form sends. A checkbox is empty unless it is checked. */
const optional = v.optional(text, '');

/** The raw fields. `page-settings.ts` validates them against the current page while its row is locked. */
export const overviewFields = {
  note: text,
  'mandatory-from': optional,
  revision: text,
  /** Takes precedence over `revision`. */
  'other-revision': optional,
  /** The revision that the page served when the form was rendered. An upload may have changed it since. */
  'seen-revision': text,
  /** Digest of the note that the form was rendered with. */
  'seen-note': text,
};

export const accessFields = {
  active: optional,
  access: optional,
  /** Empty to keep the current one. */
  passcode: text,
  /** `never`, a number of days, or `date`, which makes `expires` apply. */
  expiry: optional,
  /** `2027-01-31T18:00` in UTC. */
  expires: text,
  /** Whether `installs` and `networks` apply. Otherwise the form hides them and the server ignores them. */
  'limits-installs': optional,
  'limits-networks': optional,
  installs: text,
  /** Resets the install count. */
  recount: optional,
  /** One per line. */
  networks: text,
};

export const appearanceFields = { name: text, feedback: optional };

type Text<Fields> = Readonly<Record<keyof Fields & string, string>>;
type OverviewText = Text<typeof overviewFields>;
/** `groups`: IDs of the chosen groups, one per line. */
type AccessText = Text<typeof accessFields> & { readonly groups: string };
type AppearanceText = Text<typeof appearanceFields>;
/** The texts of all fields, which are shown again after an error. */
export type SettingsValues = OverviewText & AccessText & AppearanceText;

const checked = (isChecked: boolean) => (isChecked ? 'on' : '');
const numberText = (number: number | null) => (number === null ? '' : String(number));

/** Initial form values. `groups`: IDs of the groups that the page admits. */
export function settingsFormValues(
  page: DistributionPage,
  revision: number,
  groups: readonly string[],
): SettingsValues {
  return {
    name: page.name,
    active: checked(page.active),
    access: page.access,
    groups: groups.join('\n'),
    passcode: '',
    expiry: page.expiresAt === null ? 'never' : 'date',
    expires: page.expiresAt === null ? '' : formatDateTimeInput(page.expiresAt),
    'limits-installs': checked(page.maxInstalls !== null),
    'limits-networks': checked(page.networks.length > 0),
    installs: numberText(page.maxInstalls),
    recount: '',
    networks: page.networks.join('\n'),
    note: page.releaseNote,
    feedback: checked(page.feedback),
    'mandatory-from': numberText(page.mandatoryFrom),
    revision: String(revision),
    'other-revision': '',
    'seen-revision': String(revision),
    'seen-note': noteDigest(page.releaseNote),
  };
}

/** Choices for the number of days after which a page closes, besides a date. */
export const expiryDays = [7, 30] as const;

/** Formats `2027-01-31T18:00` for an input of type `datetime-local`. */
export function formatDateTimeInput(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

export const overviewChanges = (sent: OverviewText): PageChanges => ({
  note: sent.note,
  mandatoryFrom: plainRevision(sent['mandatory-from']) === '' ? null : numberOf(sent['mandatory-from']),
  revision: numberOf(chosenRevision(sent)),
  seen: { revision: numberOf(sent['seen-revision']), note: sent['seen-note'] },
});

export const accessChanges = (
  sent: AccessText,
  page: Pick<DistributionPage, 'expiresAt'>,
  now: number,
): PageChanges => ({
  active: sent.active !== '',
  access: sent.access,
  groups: linesOf(sent.groups).filter(Boolean),
  passcode: sent.passcode,
  expiresAt: expiryOf(sent, page, now),
  maxInstalls: sent['limits-installs'] === '' ? null : installsOf(sent.installs),
  recount: sent.recount !== '',
  networks: sent['limits-networks'] === '' ? [] : linesOf(sent.networks),
});

export const appearanceChanges = ({ name, feedback }: AppearanceText): PageChanges => ({
  name,
  feedback: feedback !== '',
});

const linesOf = (lines: string) => lines.split(/\r\n|\r|\n/);

function expiryOf(
  { expiry, expires }: AccessText,
  { expiresAt }: Pick<DistributionPage, 'expiresAt'>,
  now: number,
): number | null {
  if (expiry === 'never') return null;
  const days = expiryDays.find((count) => String(count) === expiry);
  if (days !== undefined) return now + days * 86_400_000;
  if (expiry !== 'date') return Number.NaN;
  const time = expires.trim();
  // The form only shows whole minutes. An unchanged value keeps its seconds.
  if (expiresAt !== null && time === formatDateTimeInput(expiresAt)) return expiresAt;
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(\.\d{1,3})?)?$/.exec(time);
  const at = match ? Date.parse(`${match[1]}T${match[2]}${match[3] ?? ''}Z`) : Number.NaN;
  // `Date` parses 30 February as 2 March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(match?.[1] ?? '') ? at : Number.NaN;
}

function installsOf(typed: string): number | null {
  const digits = typed.trim();
  if (digits === '') return null;
  return /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
}

/** Parses a revision in a form. Null for anything else. */
export function readRevision(submitted: string): number | null {
  return /^[1-9]\d{0,14}$/.test(submitted) ? Number(submitted) : null;
}

/** Revisions typed by people may look like `#12`. */
const plainRevision = (typed: string) => typed.trim().replace(/^#/, '');
const numberOf = (typed: string) => readRevision(plainRevision(typed)) ?? Number.NaN;

/** A typed revision takes precedence over the selected one. */
export function chosenRevision(form: Pick<OverviewText, 'revision' | 'other-revision'>): string {
  return plainRevision(form['other-revision']) || form.revision;
}
