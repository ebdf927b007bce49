/** An action that changes second factors. */

import { Callout } from '../../web/components/callout.tsx';
import { Confirm } from '../../web/components/form-field.tsx';
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
  label?: string | undefined;
  line: string;
  danger?: boolean;
  button: string;
}) {
  return (
    <Confirm
      frame={props.frame}
      action={securityActionPath(props.action, props.to)}
      ask={props.title}
      label={props.label}
      line={props.line}
      button={props.button}
      buttonTone={props.danger ? 'danger' : 'primary'}
      tone="quiet"
    />
  );
}
