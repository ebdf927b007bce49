import { Badge } from '../web/components/callout.tsx';
import { InlineCode } from '../web/components/code-block.tsx';
import { texts } from '../web/shell/texts.ts';
import { type App, appName } from './app.ts';
import { platformAppPath } from './app-paths.ts';

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
