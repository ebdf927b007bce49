/** Computes the differences between two builds of one app. Pure: uses only stored package details. */

import { formatBytes } from '../../core/byte-size.ts';
import { perLanguage } from '../../core/language/current-language.ts';
import { localLabels, type PackageInfo } from '../../packages/package-info.ts';
import { excerpt, formatCount, formatDay } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { Build } from '../app.ts';
import { buildFieldList, buildFields } from '../build-fields.ts';
import { sourceRepository } from '../builds/build-facts.tsx';
import { buildTexts } from '../builds/build-texts.ts';
import { apiLevelText, minimumSystem } from '../builds/version-text.ts';
import { findingText } from '../findings/finding-texts.ts';
import { compareUpdate, type UpdateNotes } from './compare-update.ts';

export interface ComparedFact {
  label: string;
  /** Null if unknown. */
  from: string | null;
  to: string | null;
  /** Shown in a monospace font. */
  machine: boolean;
}

export interface ComparedSet {
  label: string;
  /** Identifiers instead of prose. */
  machine: boolean;
  added: ComparedNames;
  removed: ComparedNames;
}

/** The first names, and the number of the others. */
export interface ComparedNames {
  names: string[];
  more: number;
}

export interface Comparison {
  /** Whether the files are byte-identical. */
  identical: boolean;
  notes: UpdateNotes;
  size: { from: number; to: number };
  changed: ComparedFact[];
  same: ComparedFact[];
  sets: ComparedSet[];
}

/** Maximum number of names shown per set, which limits the page size. */
export const maxShownNames = 50;
const maxValueLength = 200;
const t = buildTexts.compare;
const labels = buildTexts.facts;

export function compareBuilds(from: Build, to: Build): Comparison {
  const facts = factPairs(from, to);
  const differs = (fact: ComparedFact) => fact.from !== fact.to;
  return {
    identical: from.sha256 === to.sha256,
    notes: compareUpdate(from, to),
    size: { from: from.sizeBytes, to: to.sizeBytes },
    changed: facts.filter(differs),
    same: facts.filter((fact) => !differs(fact) && fact.from !== null),
    sets: compareSets(from, to),
  };
}

const signed = { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' } as const;
const changes = perLanguage(() => new Intl.NumberFormat('en', signed));

/** Formats `+500.3 KiB`, `−1.2 MiB` or `0 B`: the second size minus the first. */
export function sizeDifference({ from, to }: { from: number; to: number }): {
  bytes: string;
  exact: string;
  percent: string;
} {
  const difference = to - from;
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : '';
  const size = Math.abs(difference);
  const percent = changes().format(from === 0 ? 0 : difference / from);
  return {
    bytes: `${sign}${formatBytes(size)}`,
    exact: `${sign}${t.bytes({ count: size, shown: formatCount(size) })}`,
    percent: percent.replace('-', '−'),
  };
}

/** Addresses are left out: every build has its own CI run. */
const comparedFields = buildFieldList.filter((field) => buildFields[field].kind !== 'url');

type Read = (build: Build) => string | number | null | undefined;

function factPairs(from: Build, to: Build): ComparedFact[] {
  const ios = from.info.platform === 'ios';
  const fact = (label: string, read: Read, machine = false): ComparedFact => ({
    label,
    from: shown(read(from)),
    to: shown(read(to)),
    machine,
  });
  return [
    fact(t.facts.name, ({ info }) => info.name),
    fact(labels.version, ({ info }) => info.versionName),
    fact(ios ? labels.buildNumber : labels.versionCode, ({ info }) => info.versionCode),
    fact(labels.minimum, ({ info }) => minimumSystem(info)),
    ...(ios ? iosFacts(fact) : androidFacts(fact)),
    ...signingFacts(fact),
    ...comparedFields.map((field) =>
      fact(labels[field], (build) => build[field], buildFields[field].kind !== 'words'),
    ),
    // Commit and run differ between any two builds.
    fact(labels.builtBy, ({ source }) => source && sourceRepository(source), true),
    fact(labels.uploadedBy, ({ uploadedBy }) => uploadedBy),
  ];
}

const shown = (value: string | number | null | undefined) =>
  value === null || value === undefined || value === '' ? null : excerpt(String(value), maxValueLength);

type FactOf = (label: string, read: Read, machine?: boolean) => ComparedFact;

function androidFacts(fact: FactOf): ComparedFact[] {
  const level = (sdk: number | null | undefined) =>
    sdk === null || sdk === undefined ? null : apiLevelText(sdk);
  return [
    fact(labels.versionCodeMajor, ({ info }) => info.android?.versionCodeMajor),
    fact(labels.target, ({ info }) => info.android?.targetSdkCodename ?? level(info.targetSdkVersion)),
    fact(labels.compile, ({ info }) => level(info.android?.compileSdkVersion)),
    fact(labels.maximum, ({ info }) => level(info.android?.maxSdkVersion)),
    fact(labels.debuggable, ({ info }) => info.android && yesOrNo(info.android.debuggable)),
    fact(labels.testOnly, ({ info }) => info.android && yesOrNo(info.android.testOnly)),
  ];
}

const yesOrNo = (value: boolean) => (value ? texts.yes : texts.no);

function iosFacts(fact: FactOf): ComparedFact[] {
  const profile = (build: Build) => build.info.ios?.profile;
  return [
    fact(labels.executable, ({ info }) => info.ios?.executable, true),
    fact(buildTexts.build.profile, (build) => profile(build)?.name),
    fact(labels.profileType, (build) => {
      const type = profile(build)?.type;
      return type && buildTexts.profileTypes[type];
    }),
    fact(labels.team, (build) => teamText(build.info)),
    fact(labels.expires, (build) => {
      const at = Date.parse(profile(build)?.expiresAt ?? '');
      return Number.isNaN(at) ? null : formatDay(at);
    }),
    fact(labels.profileDevices, (build) => {
      const count = profile(build)?.devices.length ?? 0;
      return count > 0 ? formatCount(count) : null;
    }),
  ];
}

function teamText({ ios }: PackageInfo): string {
  const { teamName, teamIdentifier } = ios?.profile ?? {};
  return [teamName, teamIdentifier && `(${teamIdentifier})`].filter(Boolean).join(' ');
}

function signingFacts(fact: FactOf): ComparedFact[] {
  return [
    fact(labels.schemes, ({ info }) =>
      info.platform === 'android' ? info.signing.schemes.join(', ') : null,
    ),
    fact(t.facts.certificate, ({ info }) => info.signing.certificates[0]?.subject ?? labels.unsigned),
    fact(labels.sha256, ({ info }) => info.signing.certificates[0]?.sha256, true),
  ];
}

function compareSets(from: Build, to: Build): ComparedSet[] {
  const set = (label: string, read: (info: PackageInfo) => readonly string[]) =>
    compareNames(label, read(from.info), read(to.info));
  const { sets } = t;
  const all = [
    set(sets.permissions, ({ android }) => android?.permissions ?? []),
    set(sets.features, ({ android }) => (android?.features ?? []).map(featureText)),
    set(sets.abis, ({ android }) => android?.nativeAbis ?? []),
    set(sets.deviceFamilies, ({ ios }) =>
      (ios?.deviceFamilies ?? []).map((kind) => buildTexts.deviceFamilies[kind]),
    ),
    set(sets.extensions, ({ ios }) => (ios ? [...ios.extensions, ...ios.appClips, ...ios.watchApps] : [])),
    set(sets.entitlements, entitlementTexts),
    set(sets.devices, ({ ios }) => ios?.profile?.devices ?? []),
    set(sets.languages, ({ labels: named }) =>
      Object.entries(localLabels(named)).map(([tag, name]) => t.facts.language({ tag, name })),
    ),
    { ...compareNames(sets.warnings, warningsOf(from), warningsOf(to)), machine: false },
  ];
  return all.filter(({ added, removed }) => added.names.length + removed.names.length > 0);
}

const featureText = ({ name, required }: { name: string; required: boolean }) =>
  required ? labels.requiredFeature({ name }) : name;
const warningsOf = ({ info, uploadWarnings }: Build) =>
  [...info.warnings, ...uploadWarnings].map(findingText);

function entitlementTexts({ ios }: PackageInfo): string[] {
  return Object.entries(ios?.profile?.entitlements ?? {}).map(([name, value]) =>
    t.facts.entitlement({ name, value: JSON.stringify(value) }),
  );
}

export function compareNames(label: string, from: readonly string[], to: readonly string[]): ComparedSet {
  return { label, machine: true, added: missingIn(from, to), removed: missingIn(to, from) };
}

function missingIn(known: readonly string[], names: readonly string[]): ComparedNames {
  const there = new Set(known);
  const missing = [...new Set(names)].filter((name) => !there.has(name));
  return {
    names: missing.slice(0, maxShownNames).map((name) => excerpt(name, maxValueLength)),
    more: Math.max(missing.length - maxShownNames, 0),
  };
}
