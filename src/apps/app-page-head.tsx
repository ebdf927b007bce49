import type { ComponentChildren } from 'preact';
import { Badge } from '../web/components/callout.tsx';
import { InlineCode } from '../web/components/code-block.tsx';
import { texts } from '../web/shell/texts.ts';
import { type App, appName } from './app.ts';
import { platformAppPath } from './app-paths.ts';

/**
 * Header of the subpages of an app: the app, a back link and the title. `state` is shown next to the platform,
 * `children` below.
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

/** Links to the app by display name, with the package name and platform in secondary text. */
export function AppOfPage({ app }: { app: App }) {
  const { owner, platform, packageName, latestName } = app;
  return (
    <>
      <a href={platformAppPath(owner, platform, packageName)}>
        <bdi>{appName(app)}</bdi>
      </a>
      {latestName !== null && latestName !== packageName && <InlineCode text={packageName} />}
      <Badge>{texts.platforms[platform]}</Badge>
    </>
  );
}
