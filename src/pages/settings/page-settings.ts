/** Parses and validates page settings. Pure: the current page and the time are arguments. */
import { createHash } from 'node:crypto';
import { type Faults, FormRefused } from '../../core/errors.ts';
import { normalizeLineEndings } from '../../core/line-endings.ts';
import { excerpt, formatCount } from '../../web/components/formats.ts';
import { parseNetwork } from '../access/page-rules.ts';
import {
  type DistributionPage,
  maxDistributionNameLength,
  maxNetworks,
  maxPasscodeLength,
  minimumPasscodeLength,
  normalizeDistributionName,
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
  /** Empty: keep the current one. */
  passcode: string;
  /** `2027-01-31T18:00` in UTC. Empty: never. */
  expires: string;
  installs: string;
  /** Resets the install count. */
  recount: boolean;
  /** One per line. */
  networks: string;
  note: string;
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
  | 'passcode'
  | 'networks'
  | 'expires'
  | 'installs'
  | 'confirmation';
export type SettingsErrors = Partial<Record<SettingsField, readonly string[]>>;

/** The parsed settings. `passcode`: the new one in plain text, or null. */
export interface ReadSettings extends Omit<PageRules, 'passcodeHash'> {
  name: string;
  passcode: string | null;
  recount: boolean;
  /** With normalized line endings, because browsers submit CRLF. */
  note: string;
}

const words = pageSettingsTexts.faults;

/** Rejects settings with all errors. Nothing was stored. */
export class SettingsRefused extends FormRefused {
  override name = 'SettingsRefused';
  declare readonly faults: SettingsErrors & Faults;
  /** Values to show again, or null for the raw input. */
  readonly typed: SettingsValues | null;

  constructor(faults: SettingsErrors, typed: SettingsValues | null = null) {
    super(faults as Faults);
    this.typed = typed;
  }
}

/** Initial form values. */
export function typedOf(page: DistributionPage, revision: number): SettingsValues {
  return {
    name: page.name,
    active: page.active,
    access: page.access,
    passcode: '',
    expires: page.expiresAt === null ? '' : formatDateTimeInput(page.expiresAt),
    installs: page.maxInstalls === null ? '' : String(page.maxInstalls),
    recount: false,
    networks: page.networks.join('\n'),
    note: page.releaseNote,
    revision: String(revision),
    seenRevision: String(revision),
    seenNote: noteDigest(page.releaseNote),
  };
}

/** Returns all errors at once. Empty if there are none. */
export function readSettings(
  typed: SettingsValues,
  page: DistributionPage,
  now: number,
): { settings: ReadSettings; faults: SettingsErrors } {
  const faults: Record<string, string[]> = {};
  const fault = (field: SettingsField, sentence: string) => {
    faults[field] = [...(faults[field] ?? []), sentence];
  };
  const access = pageAccessKinds.find((kind) => kind === typed.access) ?? null;
  if (access === null) fault('access', words.access);
  const settings: ReadSettings = {
    name: readName(typed.name, page.name, (sentence) => fault('name', sentence)),
    active: typed.active,
    access: access ?? 'members',
    passcode: readPasscode(typed.passcode, access, page, (sentence) => fault('passcode', sentence)),
    expiresAt: readMoment(typed.expires, page, now, (sentence) => fault('expires', sentence)),
    maxInstalls: readInstalls(typed.installs, (sentence) => fault('installs', sentence)),
    recount: typed.recount,
    networks: readNetworks(typed.networks, (sentence) => fault('networks', sentence)),
    note: readNote(typed.note, (sentence) => fault('note', sentence)),
  };
  return { settings, faults };
}

type Fault = (sentence: string) => void;

/** An unchanged name is always valid: an upload may have set one that cannot be typed. */
export function readName(typed: string, present: string | null, fault: Fault): string {
  if (typed === present) return typed;
  const name = normalizeDistributionName(typed);
  if (name === '') fault(words.nameMissing);
  else if ([...name].length > maxDistributionNameLength) fault(words.nameLong(maxDistributionNameLength));
  if (/\p{Cc}/u.test(name)) fault(words.nameControl);
  return name;
}

/** A passcode without passcode access is an error, because the person who typed it expects it to protect the page. */
function readPasscode(
  typed: string,
  access: PageAccessKind | null,
  page: DistributionPage,
  fault: Fault,
): string | null {
  if (typed === '') {
    if (access === 'passcode' && page.passcodeHash === null) fault(words.passcodeMissing);
    return null;
  }
  if (access !== 'passcode' && access !== null) fault(words.passcodeUnused);
  const { length } = [...typed];
  if (length < minimumPasscodeLength || length > maxPasscodeLength) {
    fault(words.passcodeLength(minimumPasscodeLength, maxPasscodeLength));
  }
  if (typed.trim() !== typed) fault(words.passcodeSpace);
  if (/\p{Cc}/u.test(typed)) fault(words.passcodeControl);
  return typed;
}

/** Formats `2027-01-31T18:00` for an input of type `datetime-local`. */
export function formatDateTimeInput(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

function readMoment(typed: string, page: DistributionPage, now: number, fault: Fault): number | null {
  const text = typed.trim();
  if (text === '') return null;
  // The form shows whole minutes. An unchanged value keeps its seconds and may be in the past.
  if (page.expiresAt !== null && text === formatDateTimeInput(page.expiresAt)) return page.expiresAt;
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(\.\d{1,3})?)?$/.exec(text);
  const at = match ? Date.parse(`${match[1]}T${match[2]}${match[3] ?? ''}Z`) : Number.NaN;
  // `Date` parses 30 February as 2 March.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(match?.[1] ?? '')) {
    fault(words.expires);
    return null;
  }
  if (at <= now) fault(words.expiresPast);
  return at;
}

function readInstalls(typed: string, fault: Fault): number | null {
  const text = typed.trim();
  if (text === '') return null;
  const installs = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (installs < 1 || installs > maxInstallsLimit) fault(words.installs(formatCount(maxInstallsLimit)));
  return installs;
}

function readNetworks(typed: string, fault: Fault): string[] {
  const lines = typed.split(/\r\n|\r|\n/).map((line) => line.trim().toLowerCase());
  const networks = [...new Set(lines.filter((line) => line !== ''))];
  const wrong = networks.filter((network) => parseNetwork(network) === null);
  for (const network of wrong.slice(0, maxNetworks)) {
    fault(words.network(excerpt(network, maxNetworkExcerpt)));
  }
  if (wrong.length > maxNetworks) fault(words.networksMore(wrong.length - maxNetworks));
  if (networks.length > maxNetworks) fault(words.networksMany(maxNetworks));
  return networks;
}

export function readNote(typed: string, fault: Fault): string {
  const note = normalizeLineEndings(typed);
  if (Buffer.byteLength(note) > maxReleaseNoteBytes) fault(words.noteLong(maxReleaseNoteBytes));
  return note;
}

/** Detects a changed note, ignoring the line endings of browsers. */
export function noteDigest(note: string): string {
  return createHash('sha256').update(normalizeLineEndings(note).trim()).digest('base64url');
}

/** Parses a revision in a form. Null for anything else. */
export function readRevision(typed: string): number | null {
  return /^[1-9]\d{0,14}$/.test(typed) ? Number(typed) : null;
}

/** A typed revision, optionally with `#`, takes precedence over the selected one. */
export function chosenRevision(form: { revision: string; 'other-revision': string }): string {
  return form['other-revision'].trim().replace(/^#/, '') || form.revision;
}
