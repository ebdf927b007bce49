/** Classifies the errors of an S3 service and describes them for people. */
import { errorTexts } from '../../core/error-texts.ts';
import { AppError, retryAfterSeconds } from '../../core/errors.ts';
import { BlobStoreFull } from '../blob-store.ts';

/** `undecided`: no response, or one that does not tell whether the request was carried out. A retry may help. All others are definitive. */
export type S3ErrorKind =
  | 'undecided'
  | 'absent'
  | 'taken'
  | 'past-end'
  | 'not-implemented'
  | 'no-credentials'
  | 'no-bucket'
  | 'other-region'
  | 'refused';

/** A failed request. `cause` contains the service’s own message. */
export class S3Error extends AppError {
  override name = 'S3Error';
  readonly meaning: S3ErrorKind;

  constructor(meaning: S3ErrorKind, cause: unknown) {
    super('unavailable', sentenceOf(meaning), {
      cause,
      retryAfterSeconds: meaning === 'undecided' ? retryAfterSeconds : null,
    });
    this.meaning = meaning;
  }
}

const sentences: Partial<Record<S3ErrorKind, keyof typeof errorTexts.files>> = {
  undecided: 'away',
  'no-credentials': 'credentials',
  'no-bucket': 'bucket',
  'other-region': 'region',
};

function sentenceOf(meaning: S3ErrorKind): string {
  const { [sentences[meaning] ?? 'refused']: sentence } = errorTexts.files;
  return sentence as string;
}

/**
 * Codes from https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, and those of other services where
 * noted.
 */
const meanings: Readonly<Record<string, S3ErrorKind>> = {
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
  // The SDK corrects its clock from this response.
  RequestTimeTooSkewed: 'undecided',
  ConditionalRequestConflict: 'undecided',
  // The bytes were corrupted in transit.
  XAmzContentSHA256Mismatch: 'undecided',
  IncompleteBody: 'undecided',
};

/** Ceph: QuotaExceeded; MinIO: XMinioStorageFull. */
const storageFullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientCapacity']);

/** Converts an error of the SDK to Slipway’s error. */
export function toS3Error(error: unknown): AppError {
  const { name, status } = answerOf(error);
  if (storageFullCodes.has(name) || status === 507) return new BlobStoreFull(error);
  return new S3Error(meanings[name] ?? meaningOf(status), error);
}

function meaningOf(status: number | null): S3ErrorKind {
  if (status === null || status === 408 || status === 429) return 'undecided';
  if (status === 501) return 'not-implemented';
  if (status >= 500 || status < 300) return 'undecided';
  if (status === 401 || status === 403) return 'no-credentials';
  if (status === 301 || status === 307) return 'other-region';
  return 'refused';
}

/** Returns the error code, which the SDK uses as the error’s name, and the status of the response; null without a valid response. */
function answerOf(error: unknown): { name: string; status: number | null } {
  if (!(error instanceof Error)) return { name: '', status: null };
  const { $metadata: facts } = error as { $metadata?: { httpStatusCode?: number } };
  return { name: error.name, status: facts?.httpStatusCode ?? null };
}

export function isS3Error(error: unknown, meaning: S3ErrorKind): boolean {
  return error instanceof S3Error && error.meaning === meaning;
}
