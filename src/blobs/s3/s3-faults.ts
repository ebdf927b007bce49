/** What an answer of an S3 service means, or that none came, and how it is told to people. */
import { AppError } from '../../core/errors.ts';
import { BlobStoreFull } from '../blob-store.ts';

/**
 * `undecided`: no answer, or one that says nothing about the request itself. It may have been carried out, and sending
 * it again may help. All others are the service's word.
 */
export type S3Meaning =
  | 'undecided'
  | 'absent'
  | 'taken'
  | 'past-end'
  | 'not-implemented'
  | 'no-credentials'
  | 'no-bucket'
  | 'other-region'
  | 'refused';

/** A request that failed. The service's own words are in `cause`. */
export class S3Fault extends AppError {
  override name = 'S3Fault';
  readonly meaning: S3Meaning;

  constructor(meaning: S3Meaning, cause: unknown) {
    super('unavailable', sentences[meaning], { cause });
    this.meaning = meaning;
  }
}

const refused = 'the file store refuses the request';
const sentences: Record<S3Meaning, string> = {
  undecided: 'the file store does not answer at the moment, try again later',
  absent: refused,
  taken: refused,
  'past-end': refused,
  'not-implemented': refused,
  'no-credentials': 'the file store refuses the credentials of this server',
  'no-bucket': 'the bucket of the file store does not exist',
  'other-region': 'the bucket of the file store is in another region than the settings say',
  refused,
};

/** Codes of https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, and of other services where named. */
const meanings: Readonly<Record<string, S3Meaning>> = {
  NoSuchKey: 'absent',
  NotFound: 'absent',
  NoSuchUpload: 'absent',
  PreconditionFailed: 'taken',
  InvalidRange: 'past-end',
  NotImplemented: 'not-implemented',
  NoSuchBucket: 'no-bucket',
  PermanentRedirect: 'other-region',
  AuthorizationHeaderMalformed: 'other-region',
  AccessDenied: 'no-credentials',
  Forbidden: 'no-credentials',
  InvalidAccessKeyId: 'no-credentials',
  SignatureDoesNotMatch: 'no-credentials',
  InvalidToken: 'no-credentials',
  ExpiredToken: 'no-credentials',
  CredentialsProviderError: 'no-credentials',
  RequestTimeout: 'undecided',
  // The SDK learns the service's clock from this answer.
  RequestTimeTooSkewed: 'undecided',
  ConditionalRequestConflict: 'undecided',
  // The bytes changed on their way.
  XAmzContentSHA256Mismatch: 'undecided',
  IncompleteBody: 'undecided',
};

/** Ceph says QuotaExceeded, MinIO XMinioStorageFull. */
const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientCapacity']);

/** What a request of the SDK threw, as what the rest of Slipway understands. */
export function faultOf(error: unknown): AppError {
  const { name, status } = answerOf(error);
  if (fullCodes.has(name) || status === 507) return new BlobStoreFull(error);
  return new S3Fault(meanings[name] ?? meaningOf(status), error);
}

function meaningOf(status: number | null): S3Meaning {
  if (status === null || status === 408 || status === 429) return 'undecided';
  if (status === 501) return 'not-implemented';
  if (status >= 500 || status < 300) return 'undecided';
  if (status === 401 || status === 403) return 'no-credentials';
  if (status === 301 || status === 307) return 'other-region';
  return 'refused';
}

/** The code of the answer, which the SDK makes the error's name, and its status; null: no answer was understood. */
function answerOf(error: unknown): { name: string; status: number | null } {
  if (!(error instanceof Error)) return { name: '', status: null };
  const { $metadata: facts } = error as { $metadata?: { httpStatusCode?: number } };
  return { name: error.name, status: facts?.httpStatusCode ?? null };
}

export function isFault(error: unknown, meaning: S3Meaning): boolean {
  return error instanceof S3Fault && error.meaning === meaning;
}
