/** The security settings: a person's second factors. */
import { Badge } from '../../web/components/callout.tsx';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { PasskeyList } from '../passkeys/passkey-list.tsx';
import { securityAppPath } from '../profile/account-paths.ts';
import { renderSettings } from '../profile/settings-frame.tsx';
import { Refused, SecurityAction } from './security-action.tsx';
import type { SecurityPageProps } from './security-page-props.ts';
import { securityTexts } from './security-texts.ts';

const t = securityTexts;

export function renderSecurityPage(props: SecurityPageProps): string {
  const { frame, required, supportsPasskeys } = props;
  const scripts = supportsPasskeys ? { scripts: ['passkeyScript'] as const } : {};
  const children = <Security {...props} />;
  if (!required) return renderSettings({ frame, part: 'security', line: t.line, ...scripts, children });
  return renderPage({
    frame,
    title: t.requiredTitle,
    width: 'narrow',
    forms: true,
    ...scripts,
    children: (
      <>
        <div class="page-head">
          <h1>{t.requiredTitle}</h1>
          <p class="secondary page-line">{t.requiredLine}</p>
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
      {props.error?.form === null && <Refused sentence={props.error.sentence} />}
      {codes && <CreatedCodes codes={codes} frame={frame} />}
      {continueTo !== null && (
        <p class="actions go-on">
          <a class="button button-primary" href={continueTo}>
            {t.continueTo}
          </a>
        </p>
      )}
      <section class="settings-section factor" aria-labelledby="app">
        <h2 id="app" class="with-badge">
          {t.app.title}
          <Badge tone={factors.app ? 'good' : 'plain'}>{t.app.states[factors.app ? 'on' : 'off']}</Badge>
        </h2>
        <p class="secondary factor-line">{t.app.line}</p>
        {factors.app ? (
          <SecurityAction
            frame={frame}
            to={props.to}
            action="app/disable"
            title={t.app.switchOff}
            line={t.app.switchOffLine}
            danger
            button={t.app.switchOffButton}
          />
        ) : (
          <p class="actions">
            <a class="button button-primary" href={securityAppPath(props.to)}>
              {t.app.setUp}
            </a>
          </p>
        )}
      </section>
      <section class="settings-section factor" aria-labelledby="passkeys">
        <h2 id="passkeys">{t.passkeys.title}</h2>
        <p class="secondary factor-line">{t.passkeys.line}</p>
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
        {t.codes.title}
        {factors.any && (
          <Badge tone={left < 3 ? 'warning' : 'good'}>
            {left === 0 ? t.codes.noneLeft : t.codes.left({ count: left })}
          </Badge>
        )}
      </h2>
      <p class="secondary factor-line">{t.codes.line}</p>
      {factors.any ? (
        <SecurityAction
          frame={props.frame}
          to={props.to}
          action="recovery-codes/create"
          title={t.codes.make}
          line={t.codes.createLine}
          button={t.codes.createButton}
        />
      ) : (
        <p class="hint">{t.codes.after}</p>
      )}
    </section>
  );
}

function CreatedCodes({ codes, frame }: { codes: readonly string[]; frame: PageFrame }) {
  const file = [...codes, '', t.codes.fileLine({ site: frame.origin })].join('\n');
  return (
    <section class="made-key" aria-labelledby="made">
      <h2 id="made">{t.codes.madeTitle}</h2>
      <p>{t.codes.madeLine}</p>
      <CodeBlock text={codes.join('\n')} label={t.codes.label} />
      <p class="actions unprinted">
        <a
          class="button"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
          download="slipway-recovery-codes.txt"
        >
          <Glyph name="download" />
          {t.codes.download}
        </a>
        <button class="button" type="button" data-print hidden>
          {t.codes.print}
        </button>
      </p>
    </section>
  );
}
