/** Nouns, limits and errors of SCIM 2.0 (RFC 7643 and 7644). */
import { AppError, type ErrorKind } from '../../core/errors.ts';

export const scimLimits = {
  bodyBytes: 256 * 1024,
  filterLength: 1_000,
  filterDepth: 8,
  comparisons: 32,
  /** Resources in a list. */
  results: 200,
  patchOperations: 500,
  membersOfRequest: 6_000,
  textLength: 256,
  users: 20_000,
  groups: 2_000,
  membersOfGroup: 20_000,
  tokens: 5,
  domains: 20,
  mappings: 500,
  claimedGroups: 500,
} as const;

export const defaultResults = 100;

export const schemaIds = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  enterpriseUser: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
  resourceType: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
  serviceProviderConfig: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
} as const;

/** RFC 7644, table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** An error with a `scimType`. The detail is for administrators of the directory and never translated, as in other APIs. */
export class ScimError extends AppError {
  override name = 'ScimError';
  readonly scimType: ScimType;

  constructor(scimType: ScimType, detail: string, kind: ErrorKind = 'invalid') {
    super(kind, detail);
    this.scimType = scimType;
  }
}

export const invalidValue = (detail: string) => new ScimError('invalidValue', detail);
export const notUnique = (detail: string) => new ScimError('uniqueness', detail, 'conflict');

/** Returns the form in which names in a directory are compared. */
export const directoryKey = (text: string) => text.normalize('NFC').toLowerCase();

/** The Workspace whose directory sends a request, with one of its tokens. */
export interface Directory {
  workspace: { id: string; name: string };
  token: { id: string; name: string };
}

/** A SCIM token, of which only the hash is stored. */
export interface DirectoryToken {
  id: string;
  name: string;
  createdBy: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

/** The attributes of a person that a directory sets. Null if it sets none. */
export interface UserAttributes {
  userName: string;
  externalId: string | null;
  displayName: string | null;
  formattedName: string | null;
  givenName: string | null;
  familyName: string | null;
  email: { value: string; type: string | null } | null;
  active: boolean;
}

/**
 * What ends when the directory deactivates the person: the account, if the directory created it or an administrator assigned its
 * domain to the Workspace; otherwise, everything in the Workspace.
 */
export type Coverage = 'account' | 'workspace';

export interface ScimUser extends UserAttributes {
  /** That of the account. */
  id: string;
  covers: Coverage;
  /** Whether the directory disabled the account. */
  disabledAccount: boolean;
  version: number;
  createdAt: number;
  updatedAt: number;
}

export interface ScimGroup {
  id: string;
  displayName: string;
  externalId: string | null;
  version: number;
  createdAt: number;
  updatedAt: number;
}

export interface ScimMember {
  id: string;
  userName: string;
}

export interface ListRequest {
  filter: Filter | null;
  sortBy: string | null;
  descending: boolean;
  /** Counted from 1. */
  startIndex: number;
  count: number;
}

export interface ListResult<Resource> {
  total: number;
  resources: readonly Resource[];
}

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type FilterValue = string | number | boolean | null;
/** Paths are in lower case and without the schema. */
export type Filter =
  | { op: 'and' | 'or'; parts: readonly Filter[] }
  | { op: 'not'; part: Filter }
  | { op: 'pr'; path: string }
  | { op: Comparison; path: string; value: FilterValue };
