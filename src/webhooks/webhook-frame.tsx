/** Frame of the webhook pages, below an owner or an app. */
import type { ComponentChildren } from 'preact';
import { type App, appName } from '../apps/app.ts';
import { AppPageHead } from '../apps/app-page-head.tsx';
import type { Owner } from '../owners/owner.ts';
import { renderOwnerArea } from '../owners/owner-area.tsx';
import type { OwnerPermissions } from '../owners/owner-permissions.ts';
import { SuccessMessage } from '../web/components/form-field.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { webhookTexts } from './webhook-texts.ts';

export type WebhookPageParent =
  | { owner: App['owner']; app: App }
  | { owner: Owner; app: null; area: { owner: Owner; permissions: OwnerPermissions } };

export function renderWebhookFrame(props: {
  frame: PageFrame;
  home: WebhookPageParent;
  title: string;
  line: ComponentChildren;
  done: string | null;
  children: ComponentChildren;
}): string {
  const { frame, home, title, line, done } = props;
  if (home.app === null) {
    return renderOwnerArea({
      frame,
      ...home.area,
      part: 'webhooks',
      title,
      done,
      children: (
        <div class="stack">
          <p class="secondary">{line}</p>
          {props.children}
        </div>
      ),
    });
  }
  const { app } = home;
  return renderPage({
    frame,
    title: title === webhookTexts.title ? webhookTexts.titleOf(appName(app)) : `${title} · ${appName(app)}`,
    forms: true,
    width: 'narrow',
    children: (
      <>
        <AppPageHead app={app} title={title} line={line} />
        <SuccessMessage sentence={done} />
        <div class="stack">{props.children}</div>
      </>
    ),
  });
}
