/** Why a directory refuses the password of a person. */

/** What a person may be told who entered the right password. */
export type Denial =
  | 'not-at-this-time'
  | 'not-from-this-computer'
  | 'password-expired'
  | 'password-must-change'
  | 'account-disabled'
  | 'account-expired';

export interface Refusal {
  /** For the log; null for what is simply a wrong password. */
  reason: string | null;
  /** Null if the password may be wrong. */
  denial: Denial | null;
}

/**
 * The Windows error codes after `data` in an answer of Active Directory (MS-ERREF, section 2.2). It checks the password first, except
 * for a locked account: its code says nothing about the password, and nobody is told.
 */
const windowsErrors: Readonly<Record<string, Refusal>> = {
  530: { reason: 'ERROR_INVALID_LOGON_HOURS (530)', denial: 'not-at-this-time' },
  531: { reason: 'ERROR_INVALID_WORKSTATION (531)', denial: 'not-from-this-computer' },
  532: { reason: 'ERROR_PASSWORD_EXPIRED (532)', denial: 'password-expired' },
  533: { reason: 'ERROR_ACCOUNT_DISABLED (533)', denial: 'account-disabled' },
  701: { reason: 'ERROR_ACCOUNT_EXPIRED (701)', denial: 'account-expired' },
  773: { reason: 'ERROR_PASSWORD_MUST_CHANGE (773)', denial: 'password-must-change' },
  775: { reason: 'ERROR_ACCOUNT_LOCKED_OUT (775)', denial: null },
};

/** invalidCredentials, and what servers answer for locked or missing passwords (RFC 4511, section 4.1.9). */
const refusingCodes: ReadonlySet<unknown> = new Set([19, 32, 48, 49, 50, 53]);

/** Returns null if the error is not a refusal. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof Error) || !('code' in error) || !refusingCodes.has(error.code)) return null;
  return (error.code === 49 && windowsErrorOf(error)) || { reason: null, denial: null };
}

export function windowsErrorOf({ message }: Error): Refusal | null {
  const [, code = ''] = /\bdata ([0-9a-f]{3,8}),/i.exec(message) ?? [];
  return windowsErrors[code] ?? null;
}
