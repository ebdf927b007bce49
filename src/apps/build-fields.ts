import { hiddenCharacterOf } from '../core/name-text.ts';
import type { BuildSource } from '../owners/build-source.ts';

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
  /** What the ID token of a trusted publisher says about it. A value that disagrees is refused, an absent one is filled in. */
  claim?: FieldClaim;
  description: string;
}

interface FieldClaim {
  name: 'ref' | 'commit' | 'run_url';
  /** The value of the field; null if the claim has none. */
  value(claimed: string): string | null;
  agrees(stated: string, claimed: string): boolean;
}

const shortName = (ref: string) => ref.replace(/^refs\/(heads|tags)\//, '');

export const buildFields = {
  branch: {
    name: 'branch',
    column: 'branch',
    kind: 'code',
    maxCharacters: 255,
    searched: true,
    description: 'Branch that the build was made from.',
    claim: {
      name: 'ref',
      // A tag and a pull request are no branches.
      value: (ref) => (/^refs\/(?!heads\/)/.test(ref) ? null : shortName(ref)),
      agrees: (branch, ref) =>
        branch === ref ||
        branch === shortName(ref) ||
        (!ref.startsWith('refs/') && shortName(branch) === ref),
    },
  },
  commit: {
    name: 'commit',
    column: 'commit_id',
    kind: 'commit',
    maxCharacters: 255,
    searched: true,
    description: 'Commit that the build was made from.',
    claim: {
      name: 'commit',
      value: (commit) => commit,
      agrees: (stated, commit) => stated.length >= 7 && commit.toLowerCase().startsWith(stated.toLowerCase()),
    },
  },
  buildUrl: {
    name: 'build_url',
    column: 'build_url',
    kind: 'url',
    maxCharacters: 2048,
    searched: false,
    description: 'URL of the CI run, http or https.',
    claim: {
      name: 'run_url',
      value: (url) => url,
      // A job of GitLab has an address beside that of its pipeline.
      agrees: (stated, url) => {
        // Resolved as browsers do, so that `..` cannot lead elsewhere.
        const page = URL.parse(stated)?.href ?? '';
        const isBelow = page.startsWith(`${url}/`);
        const isJob = url.includes('/-/pipelines/') && page.startsWith(`${url.split('/-/')[0]}/-/jobs/`);
        return stated === url || isBelow || isJob;
      },
    },
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

const claimOf = (field: BuildField): FieldClaim | undefined => (buildFields[field] as BuildFieldSpec).claim;

/** Returns the fields as stated by the uploader, completed with the claims of the ID token. */
export function withClaims(stated: BuildFields, source: BuildSource | null): BuildFields {
  return mapBuildFields((field) => {
    const claim = claimOf(field);
    const claimed = claim && source?.[claim.name];
    if (!claim || !claimed) return stated[field];
    const value = claim.value(claimed);
    return value !== null && isAccepted(field, value) ? value : stated[field];
  });
}

/** What an uploader may not state is not taken from a claim either. */
function isAccepted(field: BuildField, value: string): boolean {
  const { maxCharacters, kind } = buildFields[field];
  if ([...value].length > maxCharacters || hiddenCharacterOf(value) !== null) return false;
  return kind !== 'url' || isWebAddress(value);
}

export const isWebAddress = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

/** Returns the first field that disagrees with the claim about it; null if there is none. */
export function findContradiction(stated: BuildFields, source: BuildSource) {
  for (const field of buildFieldList) {
    const claim = claimOf(field);
    const claimed = claim && source[claim.name];
    const value = stated[field];
    if (claim && claimed && value !== null && !claim.agrees(value, claimed))
      return { field: buildFields[field].name, stated: value, claim: claim.name, claimed };
  }
  return null;
}

/** Returns the values by their names in forms and JSON, or by column. */
export function buildFieldsBy<K extends 'name' | 'column', T>(
  key: K,
  value: (field: BuildField) => T,
): Record<Specs[K], T> {
  const entries = buildFieldList.map((field) => [buildFields[field][key], value(field)]);
  return Object.fromEntries(entries) as Record<Specs[K], T>;
}
