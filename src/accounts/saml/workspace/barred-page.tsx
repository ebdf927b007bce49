/** The page that says at which provider this session must be signed in, and leads there. */
import type { WorkspaceBar } from '../../../owners/gate/workspace-gate.ts';
import { renderPage } from '../../../web/shell/layout.tsx';
import type { PageFrame } from '../../../web/shell/page-frame.ts';
import { sitePaths } from '../../../web/shell/site-paths.ts';
import { texts } from '../../../web/shell/texts.ts';
import { withTarget, workspaceSamlPaths } from '../../profile/account-paths.ts';
import { singleSignOnTexts } from '../../single-sign-on/single-sign-on-texts.ts';
import { samlTexts } from '../saml-texts.ts';

const t = samlTexts.barred;

/** `back`: the path that was refused. */
export function renderBarredPage(props: { frame: PageFrame; bar: WorkspaceBar; back: string }): string {
  const { frame, bar, back } = props;
  const { provider, workspace } = bar;
  const title = t.title({ provider });
  return renderPage({
    frame,
    title,
    width: 'narrow',
    children: (
      <div class="notice-page">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <p class="lead" dir="auto">
          {t.line({ workspace: workspace.name, provider })}
        </p>
        <p class="actions">
          <a class="button button-primary" href={withTarget(workspaceSamlPaths(workspace.name).signIn, back)}>
            <bdi>{singleSignOnTexts.go({ provider })}</bdi>
          </a>
          <a class="button" href={sitePaths.home}>
            {texts.errors.home}
          </a>
        </p>
      </div>
    ),
  });
}
