/** What people set about a page, read from what they typed. Pure: the page as it stands and the time are passed in. */
import { createHash } from 'node:crypto';
import { type Faults, FormRefused } from '../../core/errors.ts';
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

/** Bytes of UTF-8; an upload's note is cut at as many. */
export const maxReleaseNoteBytes = 32_766;
export const maxInstallsLimit = 1_000_000;
const maxNetworkExcerpt = 60;

/** The form as it was typed, so that a fault gives it back as it was. */
export interface TypedSettings {
  name: string;
  active: boolean;
  access: string;
  /** Empty: the present one stays. */
  passcode: string;
  /** `2027-01-31T18:00`, in UTC; empty: never. */
  expires: string;
  installs: string;
  /** The installs so far no longer count. */
  recount: boolean;
  /** One per line. */
  networks: string;
  note: string;
  /** Revision of the chosen build. */
  revision: string;
  /** What the page handed out when the form was shown: an upload may have changed it since. */
  seenRevision: string;
  /** Digest of the note that the form was shown with. */
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
export type SettingsFaults = Partial<Record<SettingsField, readonly string[]>>;

/** What was typed, understood. `passcode` is the new one in the clear; null: none was typed. */
export interface ReadSettings extends Omit<PageRules, 'passcodeHash'> {
  name: string;
  passcode: string | null;
  recount: boolean;
  /** With line ends of one kind, for browsers send two characters. */
  note: string;
}

const words = pageSettingsTexts.faults;

/** Refuses settings with all their faults; nothing was written. */
export class SettingsRefused extends FormRefused {
  override name = 'SettingsRefused';
  declare readonly faults: SettingsFaults & Faults;
  /** What to show again; null: what was typed. */
  readonly typed: TypedSettings | null;

  constructor(faults: SettingsFaults, typed: TypedSettings | null = null) {
    super(faults as Faults);
    this.typed = typed;
  }
}

/** The form as it is first shown. */
export function typedOf(page: DistributionPage, revision: number): TypedSettings {
  return {
    name: page.name,
    active: page.active,
    access: page.access,
    passcode: '',
    expires: page.expiresAt === null ? '' : momentText(page.expiresAt),
    installs: page.maxInstalls === null ? '' : String(page.maxInstalls),
    recount: false,
    networks: page.networks.join('\n'),
    note: page.releaseNote,
    revision: String(revision),
    seenRevision: String(revision),
    seenNote: noteDigest(page.releaseNote),
  };
}

/** Every fault at once; `faults` is empty when there is none. */
export function readSettings(
  typed: TypedSettings,
  page: DistributionPage,
  now: number,
): { settings: ReadSettings; faults: SettingsFaults } {
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

/** A name that stays is never a fault: an upload may have given the page one that cannot be typed. */
export function readName(typed: string, present: string | null, fault: Fault): string {
  if (typed === present) return typed;
  const name = normalizeDistributionName(typed);
  if (name === '') fault(words.nameMissing);
  else if ([...name].length > maxDistributionNameLength) fault(words.nameLong(maxDistributionNameLength));
  if (/\p{Cc}/u.test(name)) fault(words.nameControl);
  return name;
}

/** One that would not be asked for is a fault: who typed it believes that it guards the page. */
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

/** `2027-01-31T18:00`, as an input of type `datetime-local` takes and gives it. */
export function momentText(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

function readMoment(typed: string, page: DistributionPage, now: number, fault: Fault): number | null {
  const text = typed.trim();
  if (text === '') return null;
  // The form shows whole minutes; what was not touched keeps its seconds, and may have passed.
  if (page.expiresAt !== null && text === momentText(page.expiresAt)) return page.expiresAt;
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(\.\d{1,3})?)?$/.exec(text);
  const at = match ? Date.parse(`${match[1]}T${match[2]}${match[3] ?? ''}Z`) : Number.NaN;
  // The parser takes 30 February for 2 March.
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
  const note = withPlainLineEnds(typed);
  if (Buffer.byteLength(note) > maxReleaseNoteBytes) fault(words.noteLong(maxReleaseNoteBytes));
  return note;
}

const withPlainLineEnds = (text: string) => text.replace(/\r\n?/g, '\n');

/** Tells a note that was changed from one that a browser gave back with its own line ends. */
export function noteDigest(note: string): string {
  return createHash('sha256').update(withPlainLineEnds(note).trim()).digest('base64url');
}

/** A revision as a form names it; null for anything else. */
export function readRevision(typed: string): number | null {
  return /^[1-9]\d{0,14}$/.test(typed) ? Number(typed) : null;
}

/** A typed revision, which may begin with `#`, counts before the selected one. */
export function chosenRevision(form: { revision: string; 'other-revision': string }): string {
  return form['other-revision'].trim().replace(/^#/, '') || form.revision;
}
