import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { PasskeyLine } from '../passkeys/passkey.ts';
import type { Factors } from './second-factor.ts';

export interface SecurityPageProps {
  frame: PageFrame;
  factors: Factors;
  passkeys: readonly PasskeyLine[];
  /** False where browsers make none: without https, and at an address of digits. */
  canHavePasskeys: boolean;
  /** For a new passkey. */
  suggestedName: string;
  /** Nothing else opens before the person has a factor. */
  required: boolean;
  /** Goes along with each form while a factor is asked for. */
  to: string | null;
  /** Where somebody goes who had to set up a factor, and now has. */
  goOn: string | null;
  done: string | null;
  /** Recovery codes, that once. */
  codes: readonly string[] | null;
  /** Which form has the field that was refused, of which passkey, and why; a full sentence, or one without its capital and full stop. */
  fault: { form: 'add-passkey' | 'rename-passkey' | null; passkey: string | null; sentence: string } | null;
}
