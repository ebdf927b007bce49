import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { PasskeyLine } from '../passkeys/passkey.ts';
import type { Factors } from './second-factor.ts';

export interface SecurityPageProps {
  frame: PageFrame;
  factors: Factors;
  passkeys: readonly PasskeyLine[];
  /** False where browsers do not support passkeys: without https, and at IP addresses. */
  supportsPasskeys: boolean;
  /** Default name for a new passkey. */
  suggestedName: string;
  /** The person must set up a factor before anything else opens. */
  required: boolean;
  /** Sent with each form while a factor is required: where to continue. */
  to: string | null;
  /** Where to continue after a required factor was set up. */
  continueTo: string | null;
  done: string | null;
  /** New recovery codes, shown once. */
  codes: readonly string[] | null;
  /** The form that was refused, its passkey if any, and the error message. */
  error: { form: 'add-passkey' | 'rename-passkey' | null; passkey: string | null; sentence: string } | null;
}
