/** The pages of one build. */
import type { ComponentChildren } from 'preact';
import { workspaceOf } from '../../owners/owner.ts';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { Tabs } from '../../web/components/tabs.tsx';
import { TitleBlock } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { type App, appName, type Build } from '../app.ts';
import { type AppHead, AppHeadBar } from '../app-head.tsx';
import {
  buildChecksPath,
  buildDependenciesPath,
  buildPath,
  buildSecurityPath,
  buildSizePath,
  buildSymbolsPath,
  provenancePath,
} from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { versionText } from '../builds/version-text.ts';
import { keyedPath } from '../files/path-with-secret.ts';

/** In the order of the tabs. Their labels are in the messages of builds. */
const buildTabPaths = {
  overview: buildPath,
  size: buildSizePath,
  checks: buildChecksPath,
  dependencies: buildDependenciesPath,
  security: buildSecurityPath,
  provenance: provenancePath,
  symbols: buildSymbolsPath,
} satisfies Record<string, (app: App, revision: number) => string>;

export type BuildTab = keyof typeof buildTabPaths;

/** `appKey`: the app secret if it opened the page, so that links include it. */
export function BuildTabs(props: { app: App; build: Build; tab: BuildTab; appKey: string | null }) {
  const { app, build, appKey } = props;
  const tabs = (Object.keys(buildTabPaths) as BuildTab[]).map((tab) => ({
    label: buildTexts.tabs[tab],
    address: keyedPath(buildTabPaths[tab](app, build.revision), appKey),
    isCurrent: tab === props.tab,
  }));
  return (
    <div class="build-tabs">
      <Tabs label={buildTexts.tabs.label} tabs={tabs} />
    </div>
  );
}

export interface BuildTabPage {
  frame: PageFrame;
  head: AppHead;
  build: Build;
  tab: Exclude<BuildTab, 'overview'>;
  /** Document title without the name of the app. */
  documentTitle: string;
  /** Content next to the title. */
  state?: ComponentChildren;
  line?: ComponentChildren;
  actions?: ComponentChildren;
  /** Confirmation of the last action, as a full sentence. */
  done?: string | null;
  /** Whether the page has large forms. */
  forms?: boolean;
  children: ComponentChildren;
}

/** Renders a page about one build, below its tabs. */
export function renderBuildTab(page: BuildTabPage): string {
  const { frame, head, build, tab } = page;
  const { app, key } = head;
  return renderPage({
    frame,
    workspace: workspaceOf(app.owner),
    title: `${page.documentTitle} · ${appName(app)}`,
    section: 'apps',
    forms: page.forms ?? false,
    head: (
      <AppHeadBar
        frame={frame}
        head={head}
        tab="builds"
        crumb={{
          label: appTexts.app.revision({ revision: build.revision }),
          address: keyedPath(buildPath(app, build.revision), key),
        }}
      />
    ),
    children: (
      <>
        <TitleBlock
          title={
            <>
              <bdi>{versionText(build.info)}</bdi>{' '}
              <span class="soft">{appTexts.app.revision({ revision: build.revision })}</span>
            </>
          }
          state={page.state}
          line={page.line}
          actions={page.actions}
        />
        <BuildTabs app={app} build={build} tab={tab} appKey={key} />
        <SuccessMessage sentence={page.done ?? null} />
        {page.children}
      </>
    ),
  });
}
