import type { ComponentChildren } from 'preact';
import { Badge } from '../web/components/callout.tsx';
import { Machine } from '../web/components/code-block.tsx';
import { texts } from '../web/shell/texts.ts';
import { type App, appName } from './app.ts';
import { platformAppPath } from './app-addresses.ts';

/**
 * The head of every page that stands behind an App's own: which App, the way back, and what the page is about. `state` stands
 * beside the platform, `children` under it all.
 */
export function AppPageHead(props: {
  app: App;
  title: ComponentChildren;
  line?: ComponentChildren;
  state?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const { app, title, line } = props;
  return (
    <div class="page-head">
      <p class="kind">
        <AppOfPage app={app} />
        {props.state}
      </p>
      <h1>{title}</h1>
      {line && <p class="secondary page-line">{line}</p>}
      {props.children}
    </div>
  );
}

/** The App as people call it, which leads to it, with its package name and platform quietly beside. */
export function AppOfPage({ app }: { app: App }) {
  const { owner, platform, packageName, latestName } = app;
  return (
    <>
      <a href={platformAppPath(owner, platform, packageName)}>
        <bdi>{appName(app)}</bdi>
      </a>
      {latestName !== null && latestName !== packageName && <Machine text={packageName} />}
      <Badge>{texts.platforms[platform]}</Badge>
    </>
  );
}
