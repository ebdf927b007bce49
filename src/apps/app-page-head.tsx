import type { ComponentChildren } from 'preact';
import { Badge } from '../web/callout.tsx';
import { texts } from '../web/texts.ts';
import { platformAppPath } from './addresses.ts';
import type { App } from './app.ts';

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
        <a href={platformAppPath(app.owner, app.platform, app.packageName)}>
          <bdi>{app.packageName}</bdi>
        </a>
        <Badge>{texts.platforms[app.platform]}</Badge>
        {props.state}
      </p>
      <h1>{title}</h1>
      {line && <p class="secondary page-line">{line}</p>}
      {props.children}
    </div>
  );
}
