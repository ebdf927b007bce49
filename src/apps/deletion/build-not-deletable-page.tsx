/** Explains why builds cannot be deleted, and what to do about it. */

import { workspaceOf } from '../../owners/owner.ts';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { strong } from '../../web/components/message-tags.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { App } from '../app.ts';
import { buildsPath, pageSettingsPath, platformAppPath, revisionPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { buildTexts } from '../builds/build-texts.ts';
import type { UndeletableBuild } from './build-deletion.ts';

export interface BuildRefusalProps {
  frame: PageFrame;
  app: App;
  kept: readonly UndeletableBuild[];
  /** Revisions that can be deleted. */
  others: readonly number[];
}

const t = buildTexts.refused;

export function renderBuildRefusal(props: BuildRefusalProps): string {
  const { frame, app, kept, others } = props;
  return renderPage({
    frame,
    workspace: workspaceOf(app.owner),
    title: t.title,
    forms: true,
    width: 'narrow',
    children: (
      <div class="notice-page">
        <h1>{t.title}</h1>
        <p>{t.line({ count: kept.length })}</p>
        <ul class="link-list kept">
          {kept.map((build) => (
            <KeptBuildRow key={build.revision} app={app} build={build} />
          ))}
        </ul>
        <div class="actions">
          {others.length > 0 && (
            <PostForm frame={frame} action={`${buildsPath(app)}/delete`}>
              {others.map((revision) => (
                <input key={revision} type="hidden" name="revision" value={revision} />
              ))}
              <SubmitButton label={t.others({ count: others.length })} tone="danger" />
            </PostForm>
          )}
          <a class="button" href={platformAppPath(app.owner, app.platform, app.packageName)}>
            {t.back}
          </a>
        </div>
      </div>
    ),
  });
}

function KeptBuildRow({ app, build }: { app: App; build: UndeletableBuild }) {
  const address = revisionPath(app.owner, app.platform, app.packageName, build.revision);
  return (
    <li>
      <a href={address}>{appTexts.app.revisionLong({ revision: build.revision })}</a>
      {build.protected && <span>{t.protected}</span>}
      {build.pages.map(({ name, accessKey }) => (
        <span key={accessKey}>
          {t.serving({ page: name, strong })}{' '}
          <a href={pageSettingsPath(accessKey)} aria-label={t.chooseAnotherOn({ page: name })}>
            {t.chooseAnother}
          </a>
        </span>
      ))}
    </li>
  );
}
