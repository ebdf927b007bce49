/** Distribution pages, which serve the builds of an app to people with the link. */
import * as v from 'valibot';
import {
  formatNullableTime,
  type InSnakeCase,
  integerShape,
  type Snake,
  snakeName,
  textShape,
  timeShape,
} from '../core/json-shapes.ts';

export interface DistributionPage extends PageRules {
  id: string;
  appId: string;
  /** 40 hexadecimal digits: the last segment of `/distributions/<accessKey>`. */
  accessKey: string;
  /** Unique per app, in the form of `normalizeName`. */
  name: string;
  /** The live build. */
  buildId: string;
  releaseNote: string;
  /** Installs counted toward `maxInstalls`. */
  installs: number;
  createdAt: number;
  updatedAt: number;
}

/**
 * `unlisted`: anyone with the link. `members`: signed-in people with access to the app. `groups`: those of them who manage the
 * app or are in a chosen group of the owner.
 */
export type PageAccessKind = 'unlisted' | 'passcode' | 'members' | 'groups';
export const pageAccessKinds: readonly PageAccessKind[] = ['unlisted', 'passcode', 'members', 'groups'];

export const maxDistributionNameLength = 255;
export const maxNetworks = 32;
export const minimumPasscodeLength = 4;
export const maxPasscodeLength = 128;

/** `shape`: in answers of the API. `input`: accepted by the API, before a change is validated. */
interface Setting<Value, Stored, Json> {
  initial: Value;
  shape: v.GenericSchema<Json>;
  input: v.GenericSchema<Json>;
  fromRow(stored: Stored): Value;
  toRow(value: Value): Stored;
  fromJson(json: Json): Value;
  toJson(value: Value): Json;
}

const same = <T>(value: T) => value;
const unchanged = { fromRow: same, toRow: same, fromJson: same, toJson: same };

const setting = <Value, Stored, Json>(given: Setting<Value, Stored, Json>) => given;

const flag = (initial: boolean, description: string): Setting<boolean, number, boolean> => ({
  ...unchanged,
  initial,
  shape: v.pipe(v.boolean(), v.description(description)),
  input: v.boolean(),
  fromRow: (stored) => stored === 1,
  toRow: (value) => (value ? 1 : 0),
});

const count = (description: string): Setting<number | null, number | null, number | null> => ({
  ...unchanged,
  initial: null,
  shape: v.nullable(integerShape(description)),
  input: v.nullable(v.pipe(v.number(), v.integer())),
});

/**
 * The settings of a page. Rows, new pages, JSON, API input and the audit log derive from this list. Columns and JSON have the
 * same names in snake case.
 */
const settings = {
  name: setting<string, string, string>({
    ...unchanged,
    initial: '',
    shape: textShape('Unique within the app.'),
    input: v.pipe(v.string(), v.maxLength(2 * maxDistributionNameLength)),
  }),
  active: flag(true, 'False: the page is closed.'),
  access: setting<PageAccessKind, string, PageAccessKind>({
    ...unchanged,
    initial: 'unlisted',
    shape: v.pipe(
      v.picklist(pageAccessKinds),
      v.description(
        '`unlisted`: everyone with the link. `passcode`: those who know it. `members`: people who see the app. `groups`: those of them in one of `groups`.',
      ),
    ),
    input: v.picklist(pageAccessKinds),
    // Unknown kinds of access admit only members.
    fromRow: (stored) => pageAccessKinds.find((kind) => kind === stored) ?? 'members',
  }),
  /** Epoch milliseconds; null for never. */
  expiresAt: setting<number | null, number | null, string | null>({
    ...unchanged,
    initial: null,
    shape: v.nullable(timeShape('When the page closes.')),
    input: v.nullable(timeShape()),
    fromJson: (json) => (json === null ? null : Date.parse(json)),
    toJson: formatNullableTime,
  }),
  /** Null for unlimited. */
  maxInstalls: count('After these installs nobody can install.'),
  networks: setting<readonly string[], string, string[]>({
    ...unchanged,
    initial: [],
    shape: v.pipe(v.array(v.string()), v.description('CIDRs that may open the page; empty: all.')),
    input: v.pipe(v.array(v.string()), v.maxLength(2 * maxNetworks)),
    fromRow: (stored) => JSON.parse(stored) as string[],
    toRow: (value) => JSON.stringify(value),
    toJson: (value) => [...value],
  }),
  feedback: flag(false, 'Whether visitors can send feedback.'),
  /** Null for no mandatory updates. */
  mandatoryFrom: count('The update check calls updates of builds with a lower revision mandatory.'),
};

type Settings = typeof settings;
export type PageSetting = keyof Settings;
export const pageSettingList = Object.keys(settings) as PageSetting[];
export type PageSettingValues = { [Name in PageSetting]: Settings[Name]['initial'] };

export type PageSettingName = Snake<PageSetting>;
/** Excludes flags, because every value of a flag is valid. */
export type RefusablePageSettingName = {
  [Name in PageSetting]: PageSettingValues[Name] extends boolean ? never : Snake<Name>;
}[PageSetting];
type Stated<Values> = { [Name in keyof Values]?: Values[Name] | undefined };
type PageSettingRow = InSnakeCase<{ [Name in PageSetting]: ReturnType<Settings[Name]['toRow']> }>;
type PageSettingJson = InSnakeCase<{ [Name in PageSetting]: ReturnType<Settings[Name]['toJson']> }>;

/** The compiler cannot see that the types of a setting and of its value belong together. */
const settingOf = (name: PageSetting) => settings[name] as Setting<unknown, unknown, unknown>;
const collect = (entry: (name: PageSetting) => [string, unknown]) =>
  Object.fromEntries(pageSettingList.map(entry)) as unknown;

export const mapPageSettings = (value: (name: PageSetting) => unknown) =>
  collect((name) => [name, value(name)]) as PageSettingValues;

export const initialPageSettings = mapPageSettings((name) => settings[name].initial);
export const pageSettingShapes = collect((name) => [snakeName(name), settings[name].shape]) as InSnakeCase<{
  [Name in PageSetting]: Settings[Name]['shape'];
}>;
export const pageSettingInputs = collect((name) => [
  snakeName(name),
  v.optional(settings[name].input as v.GenericSchema),
]) as InSnakeCase<{ [Name in PageSetting]: v.OptionalSchema<Settings[Name]['input'], undefined> }>;

export const pageSettingsOfRow = (row: PageSettingRow) =>
  mapPageSettings((name) => settingOf(name).fromRow(row[snakeName(name)]));

export const pageSettingsToRow = (values: PageSettingValues) =>
  collect((name) => [snakeName(name), settingOf(name).toRow(values[name])]) as PageSettingRow;

export const pageSettingsJson = (values: PageSettingValues) =>
  collect((name) => [snakeName(name), settingOf(name).toJson(values[name])]) as PageSettingJson;

/** Settings that are absent stay absent. */
export const pageSettingsOfJson = (given: Stated<PageSettingJson>): Stated<PageSettingValues> =>
  mapPageSettings((name) => {
    const json = given[snakeName(name)];
    return json === undefined ? json : settingOf(name).fromJson(json);
  });

/** Checked on the page, and again at the download. */
export interface PageRules extends Omit<PageSettingValues, 'name'> {
  /** Argon2id in PHC format. Set only for `passcode`. */
  passcodeHash: string | null;
  /** Those that the policies of the Workspace allow, in addition to `networks`. Absent or empty: all. */
  workspaceNetworks?: readonly string[];
}

/** An entry in the publish history of a page. */
export interface DistributionUpdate {
  id: string;
  buildId: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  releaseNote: string;
  /** The build was withdrawn from the page. */
  withdrawn: boolean;
  createdAt: number;
}
