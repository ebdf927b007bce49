/** Filters of the build list, as fields of the query string. */
import type { CertificateFacts } from '../../packages/package-info.ts';

export type BuildFilter = 'branch' | 'label' | 'uploader' | 'page' | 'signer';

export const buildFilterNames = ['branch', 'label', 'uploader', 'page', 'signer'] as const;

/** Absent fields do not filter. `page`: the ID of a distribution page. `signer`: SHA-256 of a certificate. */
export type BuildFilters = Readonly<Partial<Record<BuildFilter, string>>>;

/** Reads only the filters of a query string. */
export function readBuildFilters(
  query: Readonly<Partial<Record<BuildFilter, string | undefined>>>,
): BuildFilters {
  return Object.fromEntries(
    buildFilterNames.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );
}

export const hasFilters = (filters: BuildFilters) => Object.keys(filters).length > 0;

export interface FilterOption {
  /** The value in the query string. */
  value: string;
  label: string;
}

export type FilterOptions = Readonly<Record<BuildFilter, readonly FilterOption[]>>;

const commonName = /(?:^|[,+] ?)CN=((?:\\.|[^\\,+])+)/;
const organizationPattern = /(?:^|[,+] ?)O=((?:\\.|[^\\,+])+)/;

/**
 * Short name of a certificate subject: its common name, otherwise its organization, otherwise the whole subject. Subjects are RFC
 * 4514 strings (section 2.4): `\` escapes commas, pluses and other characters in a value.
 */
export function signerName({ subject }: Pick<CertificateFacts, 'subject'>): string {
  const [, value] = commonName.exec(subject) ?? organizationPattern.exec(subject) ?? [];
  return value ? value.replace(/\\(.)/g, '$1').trim() : subject;
}
