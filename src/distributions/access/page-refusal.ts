/** Refusals of visits and installs: a line in the log, and the error for callers that see no gate. */
import { type AppError, Forbidden, NotFound } from '../../core/errors.ts';
import type { DeviceRefusalReason } from '../../devices/device-compatibility.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { gateTexts } from './gate-texts.ts';
import { type AccessRefusal, decideOpening } from './page-rules.ts';

const t = gateTexts.refused;

/** Values of `reason` in the log, documented in `docs/operations.md`. */
export type RefusalReason =
  | 'closed'
  | 'expired'
  | 'wrong-network'
  | 'passcode'
  | 'sign-in'
  | 'no-access'
  | 'invalid-link'
  | 'expired-link'
  | 'unknown-build'
  | 'withdrawn'
  | 'install-limit'
  | 'damaged-file'
  | 'no-https'
  | 'not-ready'
  | 'build-problem'
  | DeviceRefusalReason;

export interface RefusalLog {
  info(fields: object, message: string): void;
}

type RefusedPage = Pick<DistributionPage, 'id' | 'name'>;

/** The key is not logged, because it opens the page. */
export function logRefusal(log: RefusalLog, page: RefusedPage, reason: RefusalReason): void {
  log.info({ event: 'install.refused', reason, page: page.id, name: page.name }, 'refused an install');
}

/** Logs why the rules refuse a visit and returns the error: `not_found` or `forbidden`. */
export function refuseVisit(log: RefusalLog, page: RefusedPage, refusal: AccessRefusal): AppError {
  logRefusal(log, page, refusalReason(refusal));
  return refusalError(refusal);
}

export function refusalError(refusal: AccessRefusal): AppError {
  switch (refusal.kind) {
    case 'closed':
      return new NotFound(t.closed);
    case 'wrong-network':
      return new Forbidden(t.network);
    case 'passcode':
      return new Forbidden(t.passcode);
    default:
      return new NotFound();
  }
}

export const refusalReason = (refusal: AccessRefusal): RefusalReason =>
  refusal.kind === 'closed' ? closedReasons[refusal.reason] : refusal.kind;

export const closedReasons = { inactive: 'closed', expired: 'expired' } as const;

/** Checks the rules for a signed link, whose holder was admitted before. Throws `NotFound` or `Forbidden` if the page is not open. */
export function checkOpening(
  page: DistributionPage,
  { ip: address, log }: { ip: string; log: RefusalLog },
  now: number,
): void {
  const refusal = decideOpening(page, { now, address });
  if (refusal) throw refuseVisit(log, page, refusal);
}
