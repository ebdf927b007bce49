/** The frame of all pages of an app: a bar with the app and its tabs. */

import type { ComponentChildren } from 'preact';
import { workspaceOf } from '../owners/owner.ts';
import { ciPath } from '../owners/owner-paths.ts';
import type { Platform } from '../packages/package-info.ts';
import { AppIcon } from '../web/components/app-icon.tsx';
import { Badge } from '../web/components/callout.tsx';
import { SuccessMessage } from '../web/components/form-field.tsx';
import { Glyph } from '../web/components/glyph.tsx';
import type { Tab } from '../web/components/tabs.tsx';
import { ConsoleHead, type Crumb, TitleBlock } from '../web/shell/console-head.tsx';
import { type Page, renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { SettingsLayout } from '../web/shell/settings/settings-layout.tsx';
import { withQuery } from '../web/shell/site-paths.ts';
import { texts } from '../web/shell/texts.ts';
import { type App, appName } from './app.ts';
import {
  activityPath,
  appFeedbackPath,
  appPagesPath,
  appSettingsPath,
  appUploadPath,
  appWebhooksPath,
  peoplePath,
  platformAppPath,
} from './app-paths.ts';
import { appTexts } from './app-texts.ts';
import { keyedPath } from './files/path-with-secret.ts';
import type { AppTabCounts } from './listed-page.ts';

export type AppTab = 'builds' | 'pages' | 'activity' | 'testers' | 'feedback' | 'webhooks' | 'settings';

/** Contents of the bar besides the app itself. */
export interface AppHead {
  app: App;
  /** Icon of the newest build; null without builds. */
  iconAddress: string | null;
  /** The other platforms of the same package name that the viewer can see. */
  otherPlatforms: readonly Platform[];
  /** Path of the owner page. Null for viewers with access to this app only. */
  ownerAddress: string | null;
  /** Numbers on the tabs. Null if the viewer cannot manage the app and gets no tabs. */
  counts: AppTabCounts | null;
  /** The app secret if it opened the page, so that links include it. */
  key: string | null;
}

const t = appTexts.tabs;

export function AppHeadBar(props: {
  frame: PageFrame;
  head: AppHead;
  tab: AppTab;
  /** The page within the app, in the breadcrumb. */
  crumb?: Crumb | undefined;
  /** Whether the app's name is the heading of the page. */
  isTitle?: boolean;
}) {
  const { frame, head, tab, crumb, isTitle = false } = props;
  const { app, counts } = head;
  const name = appName(app);
  const address = keyedPath(platformAppPath(app.owner, app.platform, app.packageName), head.key);
  const owner = head.ownerAddress === null ? [] : [{ label: app.owner.name, address: head.ownerAddress }];
  return (
    <ConsoleHead
      crumbs={[...owner, { label: name, address }, ...(crumb ? [crumb] : [])]}
      icon={<AppIcon address={head.iconAddress} origin={frame.origin} name={name} size="head" eager />}
      title={name}
      titleAddress={isTitle ? undefined : address}
      badges={<Badge>{texts.platforms[app.platform]}</Badge>}
      details={
        <>
          <code>{app.packageName}</code>
          {head.otherPlatforms.map((platform) => (
            <span key={platform}>
              <a
                class="soft"
                href={keyedPath(platformAppPath(app.owner, platform, app.packageName), head.key)}
              >
                {t.alsoOn({ platform: texts.platforms[platform] })}
              </a>
            </span>
          ))}
          {counts && frame.viewer && (
            <span>
              <a
                class="soft"
                href={withQuery(ciPath(app.owner), { app: `${app.platform}/${app.packageName}` })}
              >
                {texts.links.ci}
              </a>
            </span>
          )}
        </>
      }
      actions={
        counts &&
        frame.viewer && (
          <a class={isTitle ? 'button button-primary' : 'button hide-phone'} href={appUploadPath(app)}>
            <Glyph name="upload" />
            {texts.nav.upload}
          </a>
        )
      }
      tabs={counts ? appTabs(app, tab, counts) : []}
    />
  );
}

function appTabs(app: App, current: AppTab, counts: AppTabCounts): Tab[] {
  const addresses: Record<AppTab, string> = {
    builds: platformAppPath(app.owner, app.platform, app.packageName),
    pages: appPagesPath(app),
    activity: activityPath(app),
    testers: peoplePath(app.owner, app.platform, app.packageName),
    feedback: appFeedbackPath(app),
    webhooks: appWebhooksPath(app),
    settings: appSettingsPath(app),
  };
  const shown: Partial<Record<AppTab, number>> = { ...counts };
  return (Object.keys(addresses) as AppTab[]).map((tab) => ({
    label: t[tab],
    address: addresses[tab],
    isCurrent: tab === current,
    count: shown[tab],
  }));
}

/** A page of an app, without its bar. */
export interface AppAreaPage {
  frame: PageFrame;
  head: AppHead;
  tab: AppTab;
  title: string;
  /** Document title without the name of the app; defaults to `title`. */
  documentTitle?: string;
  /** For a page within a tab; defaults to the title on the tab itself. */
  crumb?: Crumb | undefined;
  state?: ComponentChildren;
  line?: ComponentChildren;
  actions?: ComponentChildren;
  /** Confirmation of the last action, as a full sentence. */
  done?: string | null;
  width?: 'wide' | 'narrow';
  /** Parts of the settings, one of which is this page. */
  settings?: readonly Tab[];
  scripts?: Page['scripts'];
  children: ComponentChildren;
}

export function renderAppArea(page: AppAreaPage): string {
  const { frame, head, tab, title } = page;
  return renderPage({
    frame,
    workspace: workspaceOf(head.app.owner),
    title: `${page.documentTitle ?? title} · ${appName(head.app)}`,
    section: 'apps',
    forms: true,
    width: page.width ?? 'wide',
    ...(page.scripts ? { scripts: page.scripts } : {}),
    head: <AppHeadBar frame={frame} head={head} tab={tab} crumb={page.crumb} />,
    children: (
      <SettingsLayout parts={page.settings}>
        <TitleBlock title={<bdi>{title}</bdi>} state={page.state} line={page.line} actions={page.actions} />
        <SuccessMessage sentence={page.done ?? null} />
        {page.children}
      </SettingsLayout>
    ),
  });
}
