/** A change that asks for a proof before it is made. */
import type { ComponentChildren } from 'preact';
import { Callout } from '../web/callout.tsx';
import { FormHead } from '../web/form-field.tsx';
import { securityTexts } from '../web/security-texts.ts';
import { securityPath } from './account-addresses.ts';
import type { PasskeyLine } from './passkey.ts';
import { ProofField } from './proof-field.tsx';
import type { SecurityPageProps } from './security-page.tsx';

const words = securityTexts;

export function Refused({ sentence }: { sentence: string }) {
  return <Callout tone="danger" title={words.refused} sentences={[fullSentence(sentence)]} />;
}

/** What the server refuses with has neither capital nor full stop. */
export function fullSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

/** A form behind a line to open, which asks for a proof. Open when it was refused. */
export function ProvenFold(
  props: Pick<SecurityPageProps, 'frame' | 'proof' | 'to' | 'fault'> & {
    act: string;
    /** Of which passkey. */
    passkey?: PasskeyLine;
    title: string;
    /** The title for those who do not see where it stands. */
    label?: string;
    line: string;
    danger?: boolean;
    children: ComponentChildren;
  },
) {
  const { frame, act, passkey, fault } = props;
  const refused = fault?.act === act && fault.passkey === (passkey?.id ?? null) ? fault.sentence : null;
  return (
    <details class="quiet-fold" open={refused !== null}>
      <summary aria-label={props.label}>{props.title}</summary>
      <p class="hint">{props.line}</p>
      <form class="form" method="post" action={securityPath(props.to)}>
        <FormHead frame={frame} act={act} />
        {passkey && <input type="hidden" name="passkey" value={passkey.id} />}
        <ProofField
          id={passkey ? `${act}-${passkey.id}` : act}
          kind={props.proof}
          faults={refused === null ? undefined : [fullSentence(refused)]}
        />
        {refused !== null && (props.proof === 'single-sign-on' || props.proof === 'passkey') && (
          <Refused sentence={refused} />
        )}
        <p class="actions">
          <button class={props.danger ? 'button button-danger' : 'button'} type="submit">
            {props.children}
          </button>
        </p>
      </form>
    </details>
  );
}
