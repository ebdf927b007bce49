import { AppError } from '../../core/errors.ts';

/** More bytes came than the receiver allows. */
export class SpoolLimitExceeded extends AppError {
  override name = 'SpoolLimitExceeded';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super('too_large', `File too large. The limit is ${maxBytes} bytes.`);
    this.maxBytes = maxBytes;
  }
}

/** The disk is full, or would be fuller than `minimumFreeBytes` allows. */
export class SpoolFull extends AppError {
  override name = 'SpoolFull';

  constructor(cause?: unknown) {
    super('no_space', 'there is not enough disk space left to receive the file', { cause });
  }
}
