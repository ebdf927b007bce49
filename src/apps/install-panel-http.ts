import type { ComponentChildren } from 'preact';
import type { Caller } from '../accounts/sign-in/identify-http.ts';
import type { Client } from '../http/routes/client.ts';
import type { PageFrame } from '../web/shell/page-frame.ts';
import type { App, Build } from './app.ts';

/** Renders how a member installs a build. The distribution pages provide it, because they know how builds install. */
export type LoadInstallPanel = (shown: {
  frame: PageFrame;
  app: App;
  build: Build;
  /** Whether the viewer came to install: shown on computers, too, with the release note. */
  leads: boolean;
  /** Path of the page that shows the panel, for its QR code. */
  path: string;
  client: Pick<Client, 'userAgent'>;
  /** Someone with access to the app; an install of a session is recorded by name. */
  caller: Caller;
}) => Promise<ComponentChildren>;
