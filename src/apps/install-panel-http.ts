import type { ComponentChildren } from 'preact';
import type { Caller } from '../accounts/authorization/identify-http.ts';
import type { Client } from '../http/routes/client.ts';
import type { ClientHints, hintHeaders } from '../http/routes/client-hints.ts';
import { lenientText, type Values } from '../http/routes/form.ts';
import type { PageFrame } from '../web/shell/page-frame.ts';
import type { App, Build } from './app.ts';

/** Renders how a member installs a build. */
export type LoadInstallPanel = (shown: {
  frame: PageFrame;
  app: App;
  build: Build;
  /** Whether the viewer came to install. The panel is then also shown on computers, with the release note. */
  leads: boolean;
  /** Path of the page that shows the panel, for its QR code. */
  path: string;
  client: Client;
  hints: ClientHints;
  /** A caller with access to the app. Installs with a session are recorded by name. */
  caller: Caller;
}) => Promise<ComponentChildren>;

/** Query of the links with which members install a build without a page. `by`: a token that names the member. */
export const directInstallQuery = { by: lenientText() };

/** Records an install by the member named in the link. */
export type RecordInstall = (asked: {
  subject: { app: App; build: Build };
  query: Values<typeof directInstallQuery>;
  headers: Values<typeof hintHeaders>;
  client: Client;
}) => Promise<void>;

/** Implemented by the distribution pages, which know how builds install. */
export interface MemberInstalls {
  loadPanel: LoadInstallPanel;
  record: RecordInstall;
}
