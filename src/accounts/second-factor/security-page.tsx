/** The security settings: a person's second factors. */
import { Badge } from '../../web/components/callout.tsx';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import { PasskeyList } from '../passkeys/passkey-list.tsx';
import { securityAppPath } from '../profile/account-addresses.ts';
import { renderSettings } from '../profile/settings-frame.tsx';
import { Refused, SecurityAction } from './security-action.tsx';
import type { SecurityPageProps } from './security-page-props.ts';
import { securityTexts } from './security-texts.ts';

const words = securityTexts;

export function renderSecurityPage(props: SecurityPageProps): string {
  const { frame, required, supportsPasskeys } = props;
  const scripts = supportsPasskeys ? { scripts: ['passkeyScript'] as const } : {};
  const children = <Security {...props} />;
  if (!required) return renderSettings({ frame, part: 'security', line: words.line, ...scripts, children });
  return renderPage({
    frame,
    title: words.requiredTitle,
    width: 'narrow',
    forms: true,
    ...scripts,
    children: (
      <>
        <div class="page-head">
          <h1>{words.requiredTitle}</h1>
          <p class="secondary page-line">{words.requiredLine}</p>
        </div>
        {children}
      </>
    ),
  });
}

function Security(props: SecurityPageProps) {
  const { frame, factors, codes, continueTo } = props;
  return (
    <>
      <SuccessMessage sentence={props.done} />
      {props.fault?.form === null && <Refused sentence={props.fault.sentence} />}
      {codes && <CreatedCodes codes={codes} />}
      {continueTo !== null && (
        <p class="actions go-on">
          <a class="button" href={continueTo}>
            {words.continueTo}
          </a>
        </p>
      )}
      <section class="settings-section factor" aria-labelledby="app">
        <h2 id="app" class="with-badge">
          {words.app.title}
          <Badge tone={factors.app ? 'good' : 'plain'}>{words.app.states[factors.app ? 'on' : 'off']}</Badge>
        </h2>
        <p class="secondary factor-line">{words.app.line}</p>
        {factors.app ? (
          <SecurityAction
            frame={frame}
            to={props.to}
            action="app/disable"
            title={words.app.switchOff}
            line={words.app.switchOffLine}
            danger
          >
            {words.app.switchOffButton}
          </SecurityAction>
        ) : (
          <p class="actions">
            <a class="button" href={securityAppPath(props.to)}>
              {words.app.setUp}
            </a>
          </p>
        )}
      </section>
      <section class="settings-section factor" aria-labelledby="passkeys">
        <h2 id="passkeys">{words.passkeys.title}</h2>
        <p class="secondary factor-line">{words.passkeys.line}</p>
        <PasskeyList {...props} frame={frame} />
      </section>
      <RecoveryCodes {...props} />
    </>
  );
}

function RecoveryCodes(props: SecurityPageProps) {
  const { factors } = props;
  const left = factors.recoveryCodes;
  return (
    <section class="settings-section factor" aria-labelledby="codes">
      <h2 id="codes" class="with-badge">
        {words.codes.title}
        {factors.any && (
          <Badge tone={left < 3 ? 'warning' : 'good'}>
            {left === 0 ? words.codes.noneLeft : words.codes.left(left)}
          </Badge>
        )}
      </h2>
      <p class="secondary factor-line">{words.codes.line}</p>
      {factors.any ? (
        <SecurityAction
          frame={props.frame}
          to={props.to}
          action="recovery-codes/create"
          title={words.codes.make}
          line={words.codes.createLine}
        >
          {words.codes.createButton}
        </SecurityAction>
      ) : (
        <p class="hint">{words.codes.after}</p>
      )}
    </section>
  );
}

function CreatedCodes({ codes }: { codes: readonly string[] }) {
  return (
    <section class="made-key" aria-labelledby="made">
      <h2 id="made">{words.codes.madeTitle}</h2>
      <p>{words.codes.madeLine}</p>
      <CodeBlock text={codes.join('\n')} label={words.codes.label} />
    </section>
  );
}
