/**
 * The free fields of a build: what its uploader states about where it comes from. Form and query of uploads, rows, search, API,
 * webhooks, pages, emails, comparison, command line and docs derive from this list. A new one also needs a column with its
 * migration, and its label in each language.
 */
interface BuildFieldSpec {
  /** In forms, JSON and, with `-` for `_`, as an option of the command line. */
  name: string;
  column: string;
  /** How it is shown; a `url` must be an http or https address. */
  kind: 'code' | 'commit' | 'url' | 'words';
  /** Unicode characters; longer values are refused. */
  maxCharacters: number;
  /** Whether the search for builds finds it. */
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
/** Null: not given. */
export type BuildFields = Record<BuildField, string | null>;

export const buildFieldList = Object.keys(buildFields) as BuildField[];
export const searchedBuildFields = buildFieldList.filter((field) => buildFields[field].searched);

export function mapBuildFields<T>(value: (field: BuildField) => T): Record<BuildField, T> {
  return Object.fromEntries(buildFieldList.map((field) => [field, value(field)])) as Record<BuildField, T>;
}

export const pickBuildFields = (from: BuildFields): BuildFields => mapBuildFields((field) => from[field]);

/** The values under the names of forms and JSON, or of columns. */
export function buildFieldsBy<K extends 'name' | 'column', T>(
  key: K,
  value: (field: BuildField) => T,
): Record<Specs[K], T> {
  const entries = buildFieldList.map((field) => [buildFields[field][key], value(field)]);
  return Object.fromEntries(entries) as Record<Specs[K], T>;
}
