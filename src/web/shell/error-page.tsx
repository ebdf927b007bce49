import type { ComponentChildren } from 'preact';
import { toSentence } from '../../core/errors.ts';
import { messageAt } from '../../core/language/catalog.ts';
import { renderPage } from './layout.tsx';
import type { PageFrame } from './page-frame.ts';
import { sitePaths } from './site-paths.ts';
import { texts, waitText } from './texts.ts';

export interface ErrorPageProps {
  frame: PageFrame;
  /** HTTP status of the response. */
  status: number;
  /** Public text, for example the message of an AppError. */
  message: string;
  /** The next step for the reader, as a sentence. Defaults to a sentence for the status. */
  advice?: string;
  /** Seconds until a retry; null if unknown. */
  retryAfterSeconds?: number | null;
  /** A control for the next step, in place of the link to the home page. */
  action?: ComponentChildren;
  /** Request id in the log, for support. */
  reference?: string;
}

export function renderErrorPage(props: ErrorPageProps): string {
  const title = messageAt(texts.errors.titles, props.status) ?? texts.errors.title;
  const { viewer, viewerUnknown } = props.frame;
  const showsSignIn = viewer === null && !viewerUnknown && [401, 403, 404].includes(props.status);
  return renderPage({
    frame: props.frame,
    title,
    width: 'narrow',
    children: (
      <div class="notice-page">
        <p class="status">{props.status}</p>
        <h1>{title}</h1>
        <p class="lead" dir="auto">
          {toSentence(props.message.trim())}
        </p>
        <p class="secondary">{adviceOf(props)}</p>
        {props.action ?? <Actions showsSignIn={showsSignIn} />}
        {props.reference && (
          <p class="fine">
            {texts.errors.reference({
              id: props.reference,
              code: (children) => <code class="machine">{children}</code>,
            })}
          </p>
        )}
      </div>
    ),
  });
}

function adviceOf({ frame, advice, status, retryAfterSeconds }: ErrorPageProps): string {
  if (advice !== undefined) return advice;
  if (status === 404 && frame.viewer) return texts.errors.missingForViewer;
  if (retryAfterSeconds) return waitText(retryAfterSeconds);
  return messageAt(texts.errors.advice, status) ?? texts.errors.anyAdvice;
}

function Actions({ showsSignIn }: { showsSignIn: boolean }) {
  return (
    <p class="actions">
      {showsSignIn && (
        <a class="button button-primary" href={sitePaths.signIn}>
          {texts.signIn}
        </a>
      )}
      <a class="button" href={sitePaths.home}>
        {texts.errors.home}
      </a>
    </p>
  );
}
