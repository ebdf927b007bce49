import { withTimeout } from '../../core/time-limit.ts';
import { type DoctorCheck, ok, problem, warning } from './doctor-check.ts';
import { reasonOf } from './doctor-reason.ts';
import { doctorTexts } from './doctor-texts.ts';

export interface MailServer {
  /** Host and port, for display. */
  name: string;
  /** Connects and signs in without sending anything; rejects with the reason. */
  verify(): Promise<void>;
}

const mailTimeoutMs = 15_000;

export async function checkMail(server: MailServer | null): Promise<DoctorCheck> {
  const t = doctorTexts.mail;
  if (!server) return warning('mail', t.unset, t.unsetAdvice);
  try {
    await withTimeout(mailTimeoutMs, server.verify());
    return ok('mail', t.good({ server: server.name }));
  } catch (error) {
    return problem('mail', t.bad({ server: server.name, reason: reasonOf(error) }), t.badAdvice);
  }
}
