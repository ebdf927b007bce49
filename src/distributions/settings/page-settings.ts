/** Changes to page settings, and their validation. Pure: the current page and the time are arguments. */

import { createHash } from 'node:crypto';
import { errorTexts } from '../../core/error-texts.ts';
import { type FieldErrors, FormInvalid } from '../../core/errors.ts';
import { snakeName } from '../../core/json-shapes.ts';
import { normalizeLineEndings } from '../../core/line-endings.ts';
import { isVisibleName, normalizeName } from '../../core/name-text.ts';
import { parseNetwork } from '../../core/networks.ts';
import { excerpt, formatCount } from '../../web/components/formats.ts';
import {
  type DistributionPage,
  mapPageSettings,
  maxDistributionNameLength,
  maxNetworks,
  maxPasscodeLength,
  minimumPasscodeLength,
  type PageAccessKind,
  type PageRules,
  type PageSetting,
  type PageSettingName,
  type PageSettingValues,
  pageAccessKinds,
  pageSettingList,
  type RefusablePageSettingName,
} from '../distribution-page.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

/** In UTF-8 bytes. The note of an upload is truncated to the same limit. */
export const maxReleaseNoteBytes = 32_766;
export const maxInstallsLimit = 1_000_000;
const maxNetworkExcerpt = 60;
const maxListedGroups = 10;

type StatedSettings = { [Name in Exclude<PageSetting, 'access'>]?: PageSettingValues[Name] | undefined };

/**
 * A requested change, from a form or the API. Fields that are absent stay as they are. `NaN` stands for a value that is not a
 * number, time or revision.
 */
export interface PageChanges extends StatedSettings {
  access?: string | undefined;
  /** Ids of the chosen groups. */
  groups?: readonly string[] | undefined;
  /** Used instead of `groups`. */
  groupNames?: readonly string[] | undefined;
  /** Empty to keep the current one. */
  passcode?: string | undefined;
  /** Resets the install count. */
  recount?: boolean | undefined;
  note?: string | undefined;
  /** The build to serve. */
  revision?: number | undefined;
  /** The revision and note that the page had when the change was started. An upload may have changed them since. */
  seen?: { revision: number; note: string } | undefined;
}

/** Field names in the JSON of the API and in the forms. */
export type SettingsField =
  | RefusablePageSettingName
  | 'revision'
  | 'release_note'
  | 'groups'
  | 'passcode'
  | 'confirmation';
export type SettingsErrors = Partial<Record<SettingsField, readonly string[]>>;

/** A group that a page can admit. */
export interface PageGroup {
  id: string;
  name: string;
}

/** The parsed settings. `passcode`: the new passcode in plain text, or null. */
export interface ReadSettings extends PageSettingValues {
  passcode: string | null;
  recount: boolean;
  /** Empty unless `access` is `groups`. */
  groups: readonly PageGroup[];
  /** With normalized line endings, because browsers submit CRLF. */
  note: string;
}

const t = pageSettingsTexts.errors;

/** Settings that were rejected with all errors. Nothing was stored. */
export class SettingsRefused extends FormInvalid {
  override name = 'SettingsRefused';
  declare readonly errors: SettingsErrors & FieldErrors;
  /** The live build and note, if the change was rejected because they have changed; otherwise null. */
  readonly meanwhile: { revision: number; note: string } | null;

  constructor(errors: SettingsErrors, meanwhile: SettingsRefused['meanwhile'] = null) {
    // The only error that the state of other pages causes, as for names elsewhere.
    const isTaken = Object.values(errors).flat().join() === t.nameTaken;
    super(errors as FieldErrors, isTaken ? 'conflict' : 'invalid');
    this.meanwhile = meanwhile;
  }
}

/** The groups of the owner, and those that the page admits. */
interface KnownGroups {
  all: readonly PageGroup[];
  chosen: readonly PageGroup[];
}

/** Reports all errors at once; there may be none. */
export function readSettings(
  changes: PageChanges,
  page: DistributionPage,
  groups: KnownGroups,
  now: number,
): { settings: ReadSettings; errors: SettingsErrors } {
  const errors: Record<string, string[]> = {};
  const adds = (field: SettingsField | PageSettingName) => (sentence: string) => {
    errors[field] = [...(errors[field] ?? []), sentence];
  };
  const values = mapPageSettings((name) => {
    const [stated, present] = [changes[name], page[name]];
    const check = checks[name] as Check<unknown> | undefined;
    if (stated === undefined) return present;
    return check ? check(stated, present, adds(snakeName(name)), now) : stated;
  });
  const access = errors.access ? null : values.access;
  const settings: ReadSettings = {
    ...values,
    groups: readGroups(changes, access, page, groups, adds('groups')),
    passcode: readPasscode(changes.passcode ?? '', access, page, adds('passcode')),
    recount: changes.recount ?? false,
    note: changes.note === undefined ? page.releaseNote : readNote(changes.note, adds('release_note')),
  };
  return { settings, errors };
}

type AddError = (sentence: string) => void;
type Check<Value> = (stated: Value, present: Value, addError: AddError, now: number) => Value;

/** A setting without a check accepts every value of its type. */
const checks: { [Name in PageSetting]?: Check<PageSettingValues[Name]> } = {
  name: readName,
  access: readAccess,
  expiresAt: readExpiry,
  maxInstalls: readInstalls,
  networks: readNetworks,
  mandatoryFrom: readMandatoryFrom,
};

function readAccess(stated: string, _present: PageAccessKind, addError: AddError): PageAccessKind {
  const access = pageAccessKinds.find((kind) => kind === stated);
  if (!access) addError(t.access);
  return access ?? 'members';
}

/** An unchanged name is always valid, because an upload may have set one that cannot be typed. */
export function readName(submitted: string, present: string | null, addError: AddError): string {
  if (submitted === present) return submitted;
  const name = normalizeName(submitted);
  const { names } = errorTexts;
  if (name === '') addError(names.missing);
  else if ([...name].length > maxDistributionNameLength)
    addError(names.long({ limit: maxDistributionNameLength }));
  if (!isVisibleName(name)) addError(names.control);
  return name;
}

/**
 * Groups are ignored while another kind of access is selected. An unchanged choice is always valid, because the groups of a page
 * may have been deleted.
 */
function readGroups(
  { groups: ids, groupNames: names }: PageChanges,
  access: PageAccessKind | null,
  page: Pick<PageRules, 'access'>,
  groups: KnownGroups,
  addError: AddError,
): PageGroup[] {
  const known = (name: string) => groups.all.find((group) => group.name === name)?.id;
  const unknown = names?.filter((name) => known(name) === undefined) ?? [];
  for (const name of unknown.slice(0, maxListedGroups)) addError(t.groupUnknown({ name }));
  if (access !== 'groups' || unknown.length > 0) return [];
  const submitted = names?.flatMap((name) => known(name) ?? []) ?? ids ?? groups.chosen.map(({ id }) => id);
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
  // The form then hides the field.
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

/** The last time that RFC 3339 can express. */
const maxTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** An unchanged time is always valid, even if it has passed. */
function readExpiry(
  at: number | null,
  present: number | null,
  addError: AddError,
  now: number,
): number | null {
  if (at === null || at === present) return at;
  if (!(at <= maxTime)) addError(t.expires);
  else if (at <= now) addError(t.expiresPast);
  return at;
}

function readInstalls(limit: number | null, _present: number | null, addError: AddError): number | null {
  if (limit !== null && !(Number.isInteger(limit) && limit >= 1 && limit <= maxInstallsLimit))
    addError(t.installs({ limit: formatCount(maxInstallsLimit) }));
  return limit;
}

function readMandatoryFrom(
  revision: number | null,
  _present: number | null,
  addError: AddError,
): number | null {
  if (revision !== null && !isRevision(revision)) addError(t.mandatoryFrom);
  return revision;
}

function readNetworks(given: readonly string[], _present: readonly string[], addError: AddError): string[] {
  const lines = given.map((line) => line.trim().toLowerCase());
  const networks = [...new Set(lines.filter((line) => line !== ''))];
  const wrong = networks.filter((network) => parseNetwork(network) === null);
  for (const network of wrong.slice(0, maxNetworks)) {
    addError(t.network({ line: excerpt(network, maxNetworkExcerpt) }));
  }
  if (wrong.length > maxNetworks) addError(t.networksMore({ count: wrong.length - maxNetworks }));
  if (networks.length > maxNetworks) addError(t.networksMany({ limit: maxNetworks }));
  return networks;
}

function readNote(submitted: string, addError: AddError): string {
  const note = normalizeLineEndings(submitted);
  if (Buffer.byteLength(note) > maxReleaseNoteBytes) addError(t.noteLong({ limit: maxReleaseNoteBytes }));
  return note;
}

/** Validates the name and note of a page that is created, or that a build is published to by name. */
export function readNameAndNote(submitted: { name: string; note: string }) {
  const errors: { name?: string[]; release_note?: string[] } = {};
  const adds = (field: keyof typeof errors) => (sentence: string) => {
    errors[field] = [...(errors[field] ?? []), sentence];
  };
  const name = readName(submitted.name, null, adds('name'));
  return { name, note: readNote(submitted.note, adds('release_note')), errors };
}

/** Detects a changed note, ignoring the line endings sent by browsers. */
export function noteDigest(note: string): string {
  return createHash('sha256').update(normalizeLineEndings(note).trim()).digest('base64url');
}

/** The largest revision that `revisionPattern` of paths and forms accepts. */
const maxRevision = 999_999_999_999_999;

export const isRevision = (number: number) =>
  Number.isInteger(number) && number >= 1 && number <= maxRevision;

/** Describes a change for the audit log: old and new values by field, but never a passcode or its hash. Empty if nothing changed. */
export function describeChanges(
  before: DistributionPage,
  after: PageSettingValues & Pick<DistributionPage, 'passcodeHash' | 'releaseNote'> & { recount: boolean },
  oldRevision: number,
  newRevision: number,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const field of pageSettingList) {
    const [old, now] = [before[field], after[field]];
    if (JSON.stringify(old) !== JSON.stringify(now)) changes[field] = [old, now];
  }
  const passcode = passcodeChange(before.passcodeHash, after.passcodeHash);
  if (passcode) changes.passcode = passcode;
  if (oldRevision !== newRevision) changes.build = [oldRevision, newRevision];
  // Left out because notes are long, and the publish history contains them.
  if (before.releaseNote !== after.releaseNote) changes.releaseNote = 'changed';
  if (after.recount && before.installs > 0) changes.installs = [before.installs, 0];
  return changes;
}

function passcodeChange(before: string | null, after: string | null): 'set' | 'changed' | 'removed' | null {
  if (before === after) return null;
  if (before === null) return 'set';
  return after === null ? 'removed' : 'changed';
}
