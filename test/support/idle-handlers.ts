import type { JobHandlers } from '../../src/jobs/outbox.ts';

const nothing = async () => undefined;

/** Handlers that do nothing, of which tests replace some. */
export const idleHandlers: JobHandlers = {
  'draw-icon': nothing,
  'key-expiry': nothing,
  'verify-signature': nothing,
  'analyze-build': nothing,
  'analyze-builds': nothing,
  'convert-bundle': nothing,
  'announce-build': nothing,
  'send-mail': nothing,
  'send-account-email': nothing,
  'send-feedback-reply': nothing,
  'announce-feedback': nothing,
  'send-feedback-mail': nothing,
  'dispatch-event': nothing,
  'send-webhook': nothing,
  'send-last-webhook': nothing,
  'remove-build': nothing,
  'remove-builds': nothing,
  'remove-app': nothing,
  'remove-blobs': nothing,
  'retention-round': nothing,
  'retain-builds': nothing,
  'check-files': nothing,
  'privacy-round': nothing,
  'seal-audit': nothing,
  'stream-audit': nothing,
  'store-rule-round': nothing,
  'directory-round': nothing,
  'send-store-rule-mail': nothing,
};
