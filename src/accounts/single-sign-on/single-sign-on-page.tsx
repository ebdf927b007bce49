/** Pages between the provider and Slipway: sign-in errors, and the confirmation before linking an identity. */

import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { profilePath, type SignOnPaths, signInPath, withTarget } from '../profile/account-paths.ts';
import type { SignOnPurpose } from './single-sign-on.ts';
import type { NamedProvider } from './single-sign-on-button.tsx';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

const t = singleSignOnTexts;

export type SingleSignOnFailure = keyof typeof t.errors;

export interface SingleSignOnFailurePageProps {
  frame: PageFrame;
  provider: string;
  paths: SignOnPaths;
  isOfWorkspace: boolean;
  /** Whether people can also sign in with a password of this server. */
  passwords: boolean;
  failure: SingleSignOnFailure;
  /** What exactly is wrong with the response of the provider; null if that is not known. */
  detail: string | null;
  purpose: SignOnPurpose['kind'];
  /** Where the person wanted to go. */
  to: string | null;
}

/** Temporary errors, after which trying again may help. */
const passing: readonly SingleSignOnFailure[] = [
  'unreachable',
  'cancelled',
  'stale',
  'refused',
  'not-recent',
  'other-account',
];

function retryPath(paths: SignOnPaths, purpose: SignOnPurpose['kind'], to: string | null): string {
  if (purpose === 'link') return paths.link;
  return withTarget(purpose === 'confirm access' ? paths.confirmAccess : paths.signIn, to);
}

/** Whether the provider of a Workspace needs a session that began elsewhere, to link the account. */
const needsSession = ({ isOfWorkspace, failure }: SingleSignOnFailurePageProps) =>
  isOfWorkspace && ['unconfirmed', 'uninvited', 'unmanaged'].includes(failure);

function adviceOf(props: SingleSignOnFailurePageProps) {
  const { failure, passwords } = props;
  if (needsSession(props)) return t.signInFirst;
  if (failure === 'unconfirmed' && !passwords) return t.askAdministrator;
  if (failure === 'uninvited' && !passwords) return null;
  return failure in t.advice ? t.advice[failure as keyof typeof t.advice] : null;
}

export function renderSingleSignOnFailure(props: SingleSignOnFailurePageProps): string {
  const { frame, provider, paths, failure, detail, purpose, to } = props;
  const error = t.errors[failure];
  const say = (message: string | ((values: { provider: string }) => string)) =>
    typeof message === 'string' ? message : message({ provider });
  const advice = adviceOf(props);
  const lines = [say(error.line), detail, advice === null ? null : say(advice)].filter(
    (line) => line !== null,
  );
  return renderPage({
    frame,
    title: say(error.title),
    width: 'narrow',
    children: (
      <div class="notice-page">
        <h1>
          <bdi>{say(error.title)}</bdi>
        </h1>
        {lines.map((line) => (
          <p key={line} class="secondary" dir="auto">
            {line}
          </p>
        ))}
        <p class="actions">
          {passing.includes(failure) && (
            <a class="button button-primary" href={retryPath(paths, purpose, to)}>
              {t.again}
            </a>
          )}
          {needsSession(props) ? (
            <a class="button button-primary" href={signInPath(withTarget(paths.signIn, to))}>
              {t.anotherWay}
            </a>
          ) : purpose === 'sign in' ? (
            <a class="button" href={sitePaths.signIn}>
              {t.toSignIn}
            </a>
          ) : (
            <a class="button" href={profilePath}>
              {t.toSettings}
            </a>
          )}
        </p>
      </div>
    ),
  });
}

export interface ConfirmIdentityPageProps {
  frame: PageFrame;
  signOn: NamedProvider;
  /** The name of the account at the provider. */
  label: string;
  userName: string;
}

export function renderConfirmIdentityPage(props: ConfirmIdentityPageProps): string {
  const { frame, signOn, label, userName } = props;
  const provider = signOn.name;
  return renderPage({
    frame,
    title: t.confirm.title({ provider }),
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>
            <bdi>{t.confirm.title({ provider })}</bdi>
          </h1>
          <p class="secondary page-line" dir="auto">
            {t.confirm.line({ label, name: userName })}
          </p>
        </div>
        <PostForm frame={frame} class="form" action={signOn.paths.confirmLink}>
          <p class="actions">
            <SubmitButton label={t.confirm.button} tone="primary" />
            <a class="button" href={profilePath}>
              {t.toSettings}
            </a>
          </p>
        </PostForm>
      </>
    ),
  });
}
