/** The pages on which a person signs in a program that has no browser. */

import type { KeyScope } from '../../core/key-scope.ts';
import { Facts } from '../../web/components/facts.tsx';
import { PostForm, SubmitButton, SuccessMessage } from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { keyTexts } from '../keys/key-texts.ts';
import { ownKeysPath } from '../profile/account-paths.ts';
import { type DeviceCode, defaultKeyDays, formatUserCode, keyDays } from './device-code.ts';
import { devicePath } from './terminal-sign-in-paths.ts';
import { terminalTexts } from './terminal-sign-in-texts.ts';

const t = terminalTexts;

/** Asks for the code. */
export function renderEnterCode(props: {
  frame: PageFrame;
  submitted: string;
  /** Whether the submitted code was not found. */
  unknown: boolean;
  done: 'approved' | 'denied' | null;
}): string {
  const { frame, submitted, unknown, done } = props;
  return renderPage({
    frame,
    title: t.title,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>{t.title}</h1>
          {done === null && <p class="secondary page-line">{t.line}</p>}
        </div>
        {done === 'denied' && <SuccessMessage sentence={t.denied} />}
        {done === 'approved' && (
          <>
            <SuccessMessage sentence={t.approved} />
            <p class="secondary">
              {t.manageKeys} <a href={ownKeysPath}>{t.keysLink}</a>
            </p>
          </>
        )}
        {done === null && (
          <form class="form" method="get" action={devicePath}>
            <TextField
              id="code"
              label={t.code}
              hint={t.codeHint}
              value={submitted}
              errors={unknown ? [t.unknown] : []}
              autocomplete="off"
              maxLength={maxCodeLength}
              required
              begins
            />
            <p class="actions">
              <SubmitButton label={t.continue} tone="primary" />
            </p>
          </form>
        )}
      </>
    ),
  });
}

/** Leaves room for spaces and dashes. */
export const maxCodeLength = 40;

export interface ConfirmProps {
  frame: PageFrame;
  /** The program, and what it asks for. A null `createdAt` means that it is asking now. */
  program: Pick<DeviceCode, 'client' | 'network' | 'scopes'> & { createdAt: number | null };
  /** Null for a program that opened this page itself. */
  userCode: string | null;
  approvePath: string;
  /** Null if there is nothing to deny. */
  denyPath: string | null;
  hidden: Readonly<Record<string, string>>;
}

export function renderConfirm({
  frame,
  program,
  userCode,
  approvePath,
  denyPath,
  hidden,
}: ConfirmProps): string {
  const { client, network, createdAt } = program;
  const title = t.confirmTitle({ client });
  const kept = Object.entries(hidden).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
  const time = timeOf(createdAt ?? frame.now, frame.now);
  return renderPage({
    frame,
    title,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1 dir="auto">{title}</h1>
          <p class="secondary page-line">{userCode === null ? t.confirmOpenedLine : t.confirmLine}</p>
        </div>
        <Facts
          facts={[
            { label: t.code, value: userCode && <strong>{formatUserCode(userCode)}</strong> },
            { label: t.requested, value: t.requestedFrom({ time, network, address: isolated }) },
            { label: t.scopes, value: scopesText(program.scopes) },
          ]}
        />
        <PostForm frame={frame} class="form after-list" action={approvePath}>
          {kept}
          <SelectField
            id="days"
            label={t.days}
            value={defaultKeyDays}
            options={keyDays.map((days) => [days, t.dayChoices[days]])}
            short
          />
          <p class="actions">
            <SubmitButton label={t.approve} tone="primary" />
            {denyPath && <SubmitButton label={t.deny} formAction={denyPath} />}
          </p>
        </PostForm>
      </>
    ),
  });
}

/** `manage` includes `upload` and `read`. */
const scopesText = (scopes: readonly KeyScope[]) => (
  <>
    {scopes
      .filter((scope) => !scopes.includes('manage') || (scope !== 'upload' && scope !== 'read'))
      .map((scope) => (
        <div key={scope}>
          {keyTexts.scope[scope]}
          <p class="hint">{keyTexts.scopeHints[scope]}</p>
        </div>
      ))}
  </>
);

/**
 * Opens the address at which the program listens. After a form, a redirect may not leave the server (Content-Security-Policy,
 * form-action).
 */
export function renderReturn({ frame, address }: { frame: PageFrame; address: string }): string {
  return renderPage({
    frame,
    title: t.openTitle,
    width: 'narrow',
    children: (
      <>
        <div class="page-head">
          <h1>{t.openTitle}</h1>
          <p class="secondary page-line">{t.openLine}</p>
        </div>
        <p class="actions">
          <a class="button button-primary" href={address}>
            {t.open}
          </a>
        </p>
      </>
    ),
  });
}
