/** The forms of the page settings: what they show, and the changes that they state. Pure. */
import type { DistributionPage } from '../distribution-page.ts';
import { noteDigest, type PageChanges } from './page-settings.ts';

/** The raw form fields, shown again after an error. */
export interface SettingsValues {
  name: string;
  active: boolean;
  access: string;
  /** Ids of the chosen groups. */
  groups: readonly string[];
  /** Empty: keep the current one. */
  passcode: string;
  /** `never`, a number of days, or `date`, which alone makes `expires` apply. */
  expiry: string;
  /** `2027-01-31T18:00` in UTC. */
  expires: string;
  /** Whether `installs` and `networks` apply; without it the form hides and the server ignores them. */
  limitsInstalls: boolean;
  limitsNetworks: boolean;
  installs: string;
  /** Resets the install count. */
  recount: boolean;
  /** One per line. */
  networks: string;
  note: string;
  feedback: boolean;
  /** A revision, or empty. */
  mandatoryFrom: string;
  /** Revision of the chosen build. */
  revision: string;
  /** Live revision when the form was rendered. An upload may have changed it since. */
  seenRevision: string;
  /** Digest of the note that the form was rendered with. */
  seenNote: string;
}

/** Initial form values. `groups`: ids of the groups that the page admits. */
export function settingsFormValues(
  page: DistributionPage,
  revision: number,
  groups: readonly string[],
): SettingsValues {
  return {
    name: page.name,
    active: page.active,
    access: page.access,
    groups,
    passcode: '',
    expiry: page.expiresAt === null ? 'never' : 'date',
    expires: page.expiresAt === null ? '' : formatDateTimeInput(page.expiresAt),
    limitsInstalls: page.maxInstalls !== null,
    limitsNetworks: page.networks.length > 0,
    installs: page.maxInstalls === null ? '' : String(page.maxInstalls),
    recount: false,
    networks: page.networks.join('\n'),
    note: page.releaseNote,
    feedback: page.feedback,
    mandatoryFrom: page.mandatoryFrom === null ? '' : String(page.mandatoryFrom),
    revision: String(revision),
    seenRevision: String(revision),
    seenNote: noteDigest(page.releaseNote),
  };
}

/** Days after which a page can close without a date. */
export const expiryDays = [7, 30] as const;

/** Formats `2027-01-31T18:00` for an input of type `datetime-local`. */
export function formatDateTimeInput(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

type Values<Field extends keyof SettingsValues> = Pick<SettingsValues, Field>;

export const overviewChanges = (
  sent: Values<'note' | 'mandatoryFrom' | 'revision' | 'seenRevision' | 'seenNote'>,
): PageChanges => ({
  note: sent.note,
  mandatoryFrom: plainRevision(sent.mandatoryFrom) === '' ? null : numberOf(sent.mandatoryFrom),
  revision: numberOf(sent.revision),
  seen: { revision: numberOf(sent.seenRevision), note: sent.seenNote },
});

export const accessChanges = (
  sent: Values<
    | 'active'
    | 'access'
    | 'groups'
    | 'passcode'
    | 'expiry'
    | 'expires'
    | 'limitsInstalls'
    | 'installs'
    | 'recount'
    | 'limitsNetworks'
    | 'networks'
  >,
  page: Pick<DistributionPage, 'expiresAt'>,
  now: number,
): PageChanges => ({
  active: sent.active,
  access: sent.access,
  groups: sent.groups,
  passcode: sent.passcode,
  expiresAt: expiryOf(sent, page, now),
  maxInstalls: sent.limitsInstalls ? installsOf(sent.installs) : null,
  recount: sent.recount,
  networks: sent.limitsNetworks ? sent.networks.split(/\r\n|\r|\n/) : [],
});

export const appearanceChanges = ({ name, feedback }: Values<'name' | 'feedback'>): PageChanges => ({
  name,
  feedback,
});

function expiryOf(
  { expiry, expires }: Values<'expiry' | 'expires'>,
  { expiresAt }: Pick<DistributionPage, 'expiresAt'>,
  now: number,
): number | null {
  if (expiry === 'never') return null;
  const days = expiryDays.find((count) => String(count) === expiry);
  if (days !== undefined) return now + days * 86_400_000;
  if (expiry !== 'date') return Number.NaN;
  const text = expires.trim();
  // The form shows whole minutes. An unchanged value keeps its seconds.
  if (expiresAt !== null && text === formatDateTimeInput(expiresAt)) return expiresAt;
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(\.\d{1,3})?)?$/.exec(text);
  const at = match ? Date.parse(`${match[1]}T${match[2]}${match[3] ?? ''}Z`) : Number.NaN;
  // `Date` parses 30 February as 2 March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(match?.[1] ?? '') ? at : Number.NaN;
}

function installsOf(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

/** Parses a revision in a form. Null for anything else. */
export function readRevision(submitted: string): number | null {
  return /^[1-9]\d{0,14}$/.test(submitted) ? Number(submitted) : null;
}

/** Typed by people, who may write `#12`. */
const plainRevision = (typed: string) => typed.trim().replace(/^#/, '');
const numberOf = (typed: string) => readRevision(plainRevision(typed)) ?? Number.NaN;

/** A typed revision, optionally with `#`, takes precedence over the selected one. */
export function chosenRevision(form: { revision: string; 'other-revision': string }): string {
  return plainRevision(form['other-revision']) || form.revision;
}
