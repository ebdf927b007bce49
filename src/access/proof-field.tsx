import { Field } from '../web/form-field.tsx';
import { securityTexts } from '../web/security-texts.ts';
import type { ProofKind } from './own-proof.ts';
import { maxPasswordLength } from './password.ts';

const words = securityTexts.proof;

/** Asks who is signed in for the password once more; nothing of whom has none. */
export function ProofField(props: { id: string; kind: ProofKind; faults: readonly string[] | undefined }) {
  const { id, kind, faults } = props;
  if (kind === 'single-sign-on' || kind === 'passkey') return null;
  return (
    <Field
      id={id}
      label={words.labels[kind]}
      hint={words.hint}
      faults={faults}
      control={(marks) => (
        <input
          {...marks}
          name="proof"
          type="password"
          autocomplete={kind === 'code' ? 'one-time-code' : 'current-password'}
          maxLength={maxPasswordLength}
          required
        />
      )}
    />
  );
}
