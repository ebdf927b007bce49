import type { AuditConfig } from '../../audit/audit-config.ts';
import { streamName } from '../../audit/audit-config.ts';
import type { AuditStatus } from '../../audit/audit-stream.ts';
import { withTimeout } from '../../core/time-limit.ts';
import { formatCount } from '../../web/components/formats.ts';
import { type DoctorCheck, ok, problem, skipped, warning } from './doctor-check.ts';
import { reasonOf } from './doctor-reason.ts';
import { doctorTexts } from './doctor-texts.ts';

const responseTimeoutMs = 10_000;
/** Fewer failures are restarts of the receiver. */
const longOutageFailures = 5;

/** `askAudit` also checks the newest seal, and rejects if it was changed. */
export async function checkAudit(
  { stream }: AuditConfig,
  askAudit: () => Promise<AuditStatus>,
): Promise<DoctorCheck> {
  const t = doctorTexts.audit;
  try {
    const status = await withTimeout(responseTimeoutMs, askAudit());
    const sealed = formatCount(status.sealed);
    if (stream === null) return ok('audit', t.sealed({ sealed }));
    const { seq, failures, error } = status.stream;
    const said = { receiver: streamName(stream), waiting: formatCount(status.sealed - seq) };
    if (error === null) return ok('audit', t.streamed(said));
    const found = t.notStreamed({ ...said, reason: error });
    return failures > longOutageFailures
      ? problem('audit', found, t.advice)
      : warning('audit', found, t.advice);
  } catch (error) {
    const reason = reasonOf(error);
    return reason.includes('hash chain')
      ? problem('audit', t.broken, t.brokenAdvice)
      : skipped('audit', t.unknown({ reason }));
  }
}
