/** The frame of the webhook pages, within an owner or an app. */
import type { ComponentChildren } from 'preact';
import type { App } from '../apps/app.ts';
import { type AppHead, renderAppArea } from '../apps/app-head.tsx';
import type { Owner } from '../owners/owner.ts';
import { renderOwnerArea } from '../owners/owner-area.tsx';
import type { OwnerPermissions } from '../owners/owner-permissions.ts';
import type { PageFrame } from '../web/shell/page-frame.ts';

export type WebhookPageParent =
  | { owner: App['owner']; app: App; head: AppHead }
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
      line,
      done,
      children: <div class="stack">{props.children}</div>,
    });
  }
  return renderAppArea({
    frame,
    head: home.head,
    tab: 'webhooks',
    title,
    line,
    done,
    width: 'narrow',
    children: <div class="stack">{props.children}</div>,
  });
}
