/** The page for visitors who are not admitted. It never names the app. */
import { PostForm, typedFirst } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { maxPasscodeLength } from '../distribution-page.ts';
import { gateTexts } from './gate-texts.ts';

export type PageGate =
  | { kind: 'closed'; reason: 'inactive' | 'expired' }
  | { kind: 'wrong-network' }
  /** `action`: path that the form posts `passcode` to. `error`: a full sentence. */
  | { kind: 'passcode'; action: string; error: string | null };

interface PageGateProps {
  frame: PageFrame;
  gate: PageGate;
  /** Path of the page settings, for people who can change them. */
  managePath: string | null;
  /** Path of the app, for people who can install its builds without the page. */
  appPath: string | null;
  /** Shown to anonymous visitors, because members need no passcode. */
  signInPath: string | null;
}

const t = gateTexts;

export function renderPageGate({ frame, gate, managePath, appPath, signInPath }: PageGateProps): string {
  const { title, line } = t[wordsOf(gate)];
  return renderPage({
    frame,
    shell: 'visitor',
    title,
    width: 'narrow',
    children: (
      <div class="notice-page gate">
        <PadlockIcon />
        <h1>{title}</h1>
        <p class="lead">{line}</p>
        {gate.kind === 'passcode' && <PasscodeForm frame={frame} {...gate} />}
        {gate.kind === 'passcode' && signInPath && (
          <p class="secondary">
            {t.passcode.member} <a href={signInPath}>{texts.signIn}</a>
          </p>
        )}
        {(appPath ?? managePath) && (
          <p class="actions">
            {appPath && (
              <a class="button button-primary" href={appPath}>
                {t.openApp}
              </a>
            )}
            {managePath && (
              <a class="button" href={managePath}>
                {t.manage}
              </a>
            )}
          </p>
        )}
      </div>
    ),
  });
}

function wordsOf(gate: PageGate) {
  if (gate.kind === 'closed') return gate.reason;
  return gate.kind === 'passcode' ? 'passcode' : 'network';
}

/**
 * The passcode is shared and belongs to no account. Its field is not of type `password`, because browsers would autofill the
 * account password.
 */
function PasscodeForm({ frame, action, error }: { frame: PageFrame; action: string; error: string | null }) {
  return (
    <PostForm frame={frame} action={action}>
      {error && (
        <p class="callout callout-danger" id="passcode-error" role="alert">
          {error}
        </p>
      )}
      <label for="passcode">{t.passcode.label}</label>
      <input
        id="passcode"
        name="passcode"
        type="text"
        maxLength={maxPasscodeLength}
        autocomplete="off"
        autocapitalize="none"
        autocorrect="off"
        spellcheck={false}
        enterKeyHint="go"
        required
        {...typedFirst}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? 'passcode-error' : undefined}
      />
      <button class="button button-primary button-large" type="submit">
        {t.passcode.submit}
      </button>
    </PostForm>
  );
}

function PadlockIcon() {
  return (
    <svg class="gate-mark" viewBox="0 0 32 32" width="40" height="40" aria-hidden="true">
      <path class="gate-bow" d="M10 14V9.5a6 6 0 0 1 12 0V14" />
      <rect class="gate-body" x="6.5" y="14" width="19" height="13" rx="3" />
    </svg>
  );
}
