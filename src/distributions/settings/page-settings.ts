/** Parses and validates page settings. Pure: the current page and the time are arguments. */

import { createHash } from 'node:crypto';
import { type FieldErrors, FormInvalid } from '../../core/errors.ts';
import { normalizeLineEndings } from '../../core/line-endings.ts';
import { isVisibleName, normalizeName } from '../../core/name-text.ts';
import { parseNetwork } from '../../core/networks.ts';
import { excerpt, formatCount } from '../../web/components/formats.ts';
import {
  type DistributionPage,
  maxDistributionNameLength,
  maxNetworks,
  maxPasscodeLength,
  minimumPasscodeLength,
  type PageAccessKind,
  type PageRules,
  pageAccessKinds,
} from '../distribution-page.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

/** UTF-8 bytes. The note of an upload is truncated to the same limit. */
export const maxReleaseNoteBytes = 32_766;
export const maxInstallsLimit = 1_000_000;
const maxNetworkExcerpt = 60;

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

export type SettingsField =
  | 'name'
  | 'build'
  | 'note'
  | 'access'
  | 'groups'
  | 'passcode'
  | 'networks'
  | 'expires'
  | 'installs'
  | 'mandatoryFrom'
  | 'confirmation';
export type SettingsErrors = Partial<Record<SettingsField, readonly string[]>>;

/** A group that a page can admit. */
export interface PageGroup {
  id: string;
  name: string;
}

/** The parsed settings. `passcode`: the new one in plain text, or null. */
export interface ReadSettings extends Omit<PageRules, 'passcodeHash'> {
  name: string;
  passcode: string | null;
  recount: boolean;
  /** Empty unless `access` is `groups`. */
  groups: readonly PageGroup[];
  /** With normalized line endings, because browsers submit CRLF. */
  note: string;
}

const t = pageSettingsTexts.errors;

/** Rejects settings with all errors. Nothing was stored. */
export class SettingsRefused extends FormInvalid {
  override name = 'SettingsRefused';
  declare readonly errors: SettingsErrors & FieldErrors;
  /** Values to show again, or null for the raw input. */
  readonly submitted: SettingsValues | null;

  constructor(errors: SettingsErrors, submitted: SettingsValues | null = null) {
    super(errors as FieldErrors);
    this.submitted = submitted;
  }
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

/** The groups of the owner, and those that the page admits. */
interface KnownGroups {
  all: readonly PageGroup[];
  chosen: readonly PageGroup[];
}

/** Returns all errors at once. Empty if there are none. */
export function readSettings(
  submitted: SettingsValues,
  page: DistributionPage,
  groups: KnownGroups,
  now: number,
): { settings: ReadSettings; errors: SettingsErrors } {
  const errors: Record<string, string[]> = {};
  const addError = (field: SettingsField, sentence: string) => {
    errors[field] = [...(errors[field] ?? []), sentence];
  };
  const access = pageAccessKinds.find((kind) => kind === submitted.access) ?? null;
  if (access === null) addError('access', t.access);
  const settings: ReadSettings = {
    name: readName(submitted.name, page.name, (sentence) => addError('name', sentence)),
    active: submitted.active,
    access: access ?? 'members',
    groups: readGroups(submitted.groups, access, page, groups, (sentence) => addError('groups', sentence)),
    passcode: readPasscode(submitted.passcode, access, page, (sentence) => addError('passcode', sentence)),
    expiresAt: readExpiry(submitted, page, now, (sentence) => addError('expires', sentence)),
    maxInstalls: submitted.limitsInstalls
      ? readInstalls(submitted.installs, (sentence) => addError('installs', sentence))
      : null,
    recount: submitted.recount,
    feedback: submitted.feedback,
    mandatoryFrom: readMandatoryFrom(submitted.mandatoryFrom, (sentence) =>
      addError('mandatoryFrom', sentence),
    ),
    networks: submitted.limitsNetworks
      ? readNetworks(submitted.networks, (sentence) => addError('networks', sentence))
      : [],
    note: readNote(submitted.note, (sentence) => addError('note', sentence)),
  };
  return { settings, errors };
}

type AddError = (sentence: string) => void;

/** An unchanged name is always valid: an upload may have set one that cannot be typed. */
export function readName(submitted: string, present: string | null, addError: AddError): string {
  if (submitted === present) return submitted;
  const name = normalizeName(submitted);
  if (name === '') addError(t.nameMissing);
  else if ([...name].length > maxDistributionNameLength)
    addError(t.nameLong({ limit: maxDistributionNameLength }));
  if (!isVisibleName(name)) addError(t.nameControl);
  return name;
}

/**
 * Groups chosen while another kind of access is selected have no effect. An unchanged choice is always valid: the groups of a page may
 * have been deleted.
 */
function readGroups(
  submitted: readonly string[],
  access: PageAccessKind | null,
  page: Pick<PageRules, 'access'>,
  groups: KnownGroups,
  addError: AddError,
): PageGroup[] {
  if (access !== 'groups') return [];
  const chosen = groups.all.filter(({ id }) => submitted.includes(id));
  const isUnchanged = page.access === 'groups' && isSame(submitted, groups.chosen);
  if (submitted.some((id) => groups.all.every((group) => group.id !== id))) addError(t.groupMissing);
  else if (chosen.length === 0 && !isUnchanged) addError(t.groupNone);
  return chosen.map(({ id, name }) => ({ id, name }));
}

const isSame = (ids: readonly string[], groups: readonly PageGroup[]) =>
  ids.length === groups.length && groups.every(({ id }) => ids.includes(id));

function readPasscode(
  submitted: string,
  access: PageAccessKind | null,
  page: DistributionPage,
  addError: AddError,
): string | null {
  // The form hides the field then.
  if (access !== 'passcode') return null;
  if (submitted === '') {
    if (page.passcodeHash === null) addError(t.passcodeMissing);
    return null;
  }
  const { length } = [...submitted];
  if (length < minimumPasscodeLength || length > maxPasscodeLength) {
    addError(t.passcodeLength({ minimum: minimumPasscodeLength, limit: maxPasscodeLength }));
  }
  if (submitted.trim() !== submitted) addError(t.passcodeSpace);
  if (/\p{Cc}/u.test(submitted)) addError(t.passcodeControl);
  return submitted;
}

/** Formats `2027-01-31T18:00` for an input of type `datetime-local`. */
export function formatDateTimeInput(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

/** Days after which a page can close without a date. */
export const expiryDays = [7, 30] as const;

function readExpiry(
  { expiry, expires }: Pick<SettingsValues, 'expiry' | 'expires'>,
  page: DistributionPage,
  now: number,
  addError: AddError,
): number | null {
  if (expiry === 'never') return null;
  const days = expiryDays.find((count) => String(count) === expiry);
  if (days !== undefined) return now + days * 86_400_000;
  if (expiry !== 'date') addError(t.expires);
  return readTimestamp(expires, page, now, addError);
}

function readTimestamp(
  submitted: string,
  page: DistributionPage,
  now: number,
  addError: AddError,
): number | null {
  const text = submitted.trim();
  // The form shows whole minutes. An unchanged value keeps its seconds and may be in the past.
  if (page.expiresAt !== null && text === formatDateTimeInput(page.expiresAt)) return page.expiresAt;
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(\.\d{1,3})?)?$/.exec(text);
  const at = match ? Date.parse(`${match[1]}T${match[2]}${match[3] ?? ''}Z`) : Number.NaN;
  // `Date` parses 30 February as 2 March.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(match?.[1] ?? '')) {
    addError(t.expires);
    return null;
  }
  if (at <= now) addError(t.expiresPast);
  return at;
}

function readInstalls(submitted: string, addError: AddError): number | null {
  const text = submitted.trim();
  if (text === '') return null;
  const installs = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (installs < 1 || installs > maxInstallsLimit)
    addError(t.installs({ limit: formatCount(maxInstallsLimit) }));
  return installs;
}

function readMandatoryFrom(submitted: string, addError: AddError): number | null {
  const text = plainRevision(submitted);
  if (text === '') return null;
  const revision = readRevision(text);
  if (revision === null) addError(t.mandatoryFrom);
  return revision;
}

function readNetworks(submitted: string, addError: AddError): string[] {
  const lines = submitted.split(/\r\n|\r|\n/).map((line) => line.trim().toLowerCase());
  const networks = [...new Set(lines.filter((line) => line !== ''))];
  const wrong = networks.filter((network) => parseNetwork(network) === null);
  for (const network of wrong.slice(0, maxNetworks)) {
    addError(t.network({ line: excerpt(network, maxNetworkExcerpt) }));
  }
  if (wrong.length > maxNetworks) addError(t.networksMore({ count: wrong.length - maxNetworks }));
  if (networks.length > maxNetworks) addError(t.networksMany({ limit: maxNetworks }));
  return networks;
}

export function readNote(submitted: string, addError: AddError): string {
  const note = normalizeLineEndings(submitted);
  if (Buffer.byteLength(note) > maxReleaseNoteBytes) addError(t.noteLong({ limit: maxReleaseNoteBytes }));
  return note;
}

/** Detects a changed note, ignoring the line endings of browsers. */
export function noteDigest(note: string): string {
  return createHash('sha256').update(normalizeLineEndings(note).trim()).digest('base64url');
}

/** Parses a revision in a form. Null for anything else. */
export function readRevision(submitted: string): number | null {
  return /^[1-9]\d{0,14}$/.test(submitted) ? Number(submitted) : null;
}

/** Typed by people, who may write `#12`. */
const plainRevision = (typed: string) => typed.trim().replace(/^#/, '');

/** A typed revision, optionally with `#`, takes precedence over the selected one. */
export function chosenRevision(form: { revision: string; 'other-revision': string }): string {
  return plainRevision(form['other-revision']) || form.revision;
}
