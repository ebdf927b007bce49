import { errorTexts } from '../../core/error-texts.ts';
import { AppError } from '../../core/errors.ts';

/** The body is larger than the receiver allows. */
export class SpoolLimitExceeded extends AppError {
  override name = 'SpoolLimitExceeded';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super('too_large', errorTexts.files.large({ limit: String(maxBytes) }));
    this.maxBytes = maxBytes;
  }
}

/** The disk is full, or would have less than `minimumFreeBytes` free. */
export class SpoolFull extends AppError {
  override name = 'SpoolFull';

  constructor(cause?: unknown) {
    super('no_space', errorTexts.files.noSpaceToReceive, { cause });
  }
}
