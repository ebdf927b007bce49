/**
 * The free fields of a build: where it comes from, as stated by its uploader. Uploads, rows, search, API, webhooks, pages,
 * emails, comparison, command line and docs derive from this list. A new field also needs a column with its migration, and a
 * label in each language.
 */
interface BuildFieldSpec {
  /** Name in forms and JSON, and (with `-` for `_`) of the command line option. */
  name: string;
  column: string;
  /** How it is shown. A `url` must be an http or https address. */
  kind: 'code' | 'commit' | 'url' | 'words';
  /** In Unicode characters; longer values are refused. */
  maxCharacters: number;
  /** Whether the build search includes it. */
  searched: boolean;
  description: string;
}

export const buildFields = {
  branch: {
    name: 'branch',
    column: 'branch',
    kind: 'code',
    maxCharacters: 255,
    searched: true,
    description: 'Branch that the build was made from.',
  },
  commit: {
    name: 'commit',
    column: 'commit_id',
    kind: 'commit',
    maxCharacters: 255,
    searched: true,
    description: 'Commit that the build was made from.',
  },
  buildUrl: {
    name: 'build_url',
    column: 'build_url',
    kind: 'url',
    maxCharacters: 2048,
    searched: false,
    description: 'URL of the CI run, http or https.',
  },
  label: {
    name: 'label',
    column: 'label',
    kind: 'words',
    maxCharacters: 255,
    searched: true,
    description: 'A label of your choice.',
  },
} as const satisfies Record<string, BuildFieldSpec>;

export type BuildField = keyof typeof buildFields;
type Specs = (typeof buildFields)[BuildField];
export type BuildFieldKind = BuildFieldSpec['kind'];
export type BuildFieldName = Specs['name'];
/** Null if not given. */
export type BuildFields = Record<BuildField, string | null>;

export const buildFieldList = Object.keys(buildFields) as BuildField[];
export const searchedBuildFields = buildFieldList.filter((field) => buildFields[field].searched);

export function mapBuildFields<T>(value: (field: BuildField) => T): Record<BuildField, T> {
  return Object.fromEntries(buildFieldList.map((field) => [field, value(field)])) as Record<BuildField, T>;
}

export const pickBuildFields = (from: BuildFields): BuildFields => mapBuildFields((field) => from[field]);

/** Returns the values by their names in forms and JSON, or by column. */
export function buildFieldsBy<K extends 'name' | 'column', T>(
  key: K,
  value: (field: BuildField) => T,
): Record<Specs[K], T> {
  const entries = buildFieldList.map((field) => [buildFields[field][key], value(field)]);
  return Object.fromEntries(entries) as Record<Specs[K], T>;
}
