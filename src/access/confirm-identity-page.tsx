/** Shown in place of an action that requires a recent proof of identity; sends the same form again, with the proof. */

import { FormHead } from '../web/form-field.tsx';
import { renderPage } from '../web/layout.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { securityTexts } from '../web/security-texts.ts';
import type { ProofKind } from './own-proof.ts';
import { ProofField } from './proof-field.tsx';

const words = securityTexts.confirm;

export interface ConfirmIdentityProps {
  frame: PageFrame;
  /** Where the form goes: the address that asked for the proof. */
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
  proof: ProofKind;
  wrong: boolean;
}

export function renderConfirmIdentity({ frame, action, fields, proof, wrong }: ConfirmIdentityProps): string {
  return renderPage({
    frame,
    title: words.title,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <h1>{words.title}</h1>
        <p class="lead">{words.line}</p>
        <form class="form" method="post" action={action}>
          <FormHead frame={frame} />
          {fields.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <ProofField
            id="proof"
            kind={proof}
            faults={wrong ? [securityTexts.proof.wrong[proof]] : undefined}
          />
          <p class="actions">
            <button class="button" type="submit">
              {words.submit}
            </button>
          </p>
        </form>
      </>
    ),
  });
}
