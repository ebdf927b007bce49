/** Converts API errors to error messages for people in a browser. */
import { formatBytes } from '../../core/byte-size.ts';
import { errorTexts } from '../../core/error-texts.ts';
import { AppError, toSentence } from '../../core/errors.ts';
import { quotaReached } from '../../owners/quota.ts';
import { waitText } from '../../web/shell/texts.ts';
import { resumableUploadLimits } from '../resumable/resumable-upload.ts';
import { uploadTexts } from '../upload-texts.ts';

const t = uploadTexts.refusals;
const limit = resumableUploadLimits.perKey;

export function uploadErrorMessage(error: AppError, maxUploadBytes: number): string {
  if (error.kind === 'no_space') return t.space;
  if (error.kind === 'too_large') return t.tooLarge({ limit: formatBytes(maxUploadBytes) });
  if (error.message === quotaReached().message) return t.quota;
  if (error.kind === 'too_many' && error.retryAfterSeconds !== null) {
    const wait = waitText(error.retryAfterSeconds);
    if (error.message === errorTexts.limits.failedPackages) return t.tooManyFailed({ wait });
    if (error.message === errorTexts.limits.failedBundles) return t.tooManyFailedBundles({ wait });
    return t.tooMany({ wait });
  }
  if (error.message === uploadTexts.resumable.tooManyOfKey({ limit })) return t.unfinished({ limit });
  if (error.message === uploadTexts.form.fileMissing) return t.noFile;
  if (error.message === uploadTexts.form.permit) return t.permit;
  return toSentence(error.message.replace(/^application create error: /, ''));
}

/** Returns the error with a message that the script of the page shows unchanged. */
export function withUserMessage(error: unknown, { maxUploadBytes }: { maxUploadBytes: number }): unknown {
  if (!(error instanceof AppError) || error.kind === 'unauthenticated' || error.kind === 'not_found')
    return error;
  return new AppError(error.kind, uploadErrorMessage(error, maxUploadBytes), {
    cause: error,
    retryAfterSeconds: error.retryAfterSeconds,
    ...(error.code === null ? {} : { code: error.code }),
  });
}
