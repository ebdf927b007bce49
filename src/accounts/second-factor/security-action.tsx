/** A collapsed form that changes second factors. */
import type { ComponentChildren } from 'preact';
import { Callout } from '../../web/components/callout.tsx';
import { FormHead } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { securityActionPath } from '../profile/account-paths.ts';
import { securityTexts } from './security-texts.ts';

const t = securityTexts;

export function Refused({ sentence }: { sentence: string }) {
  return <Callout tone="danger" title={t.refused} sentences={[sentence]} />;
}

export function SecurityAction(props: {
  frame: PageFrame;
  /** Relative to the page's path. */
  action: string;
  to: string | null;
  title: string;
  /** Accessible label, if the title alone is unclear. */
  label?: string;
  line: string;
  danger?: boolean;
  children: ComponentChildren;
}) {
  return (
    <details class="quiet-fold">
      <summary aria-label={props.label}>{props.title}</summary>
      <p class="hint">{props.line}</p>
      <form class="form" method="post" action={securityActionPath(props.action, props.to)}>
        <FormHead frame={props.frame} />
        <p class="actions">
          <button class={props.danger ? 'button button-danger' : 'button'} type="submit">
            {props.children}
          </button>
        </p>
      </form>
    </details>
  );
}
