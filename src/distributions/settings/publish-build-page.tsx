/** The form that publishes a build to an existing or a new distribution page. */

import type { Build } from '../../apps/app.ts';
import type { AppHead } from '../../apps/app-head.tsx';
import { renderAppArea } from '../../apps/app-head.tsx';
import { publishPath, revisionPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import type { ListedPage } from '../../apps/listed-page.ts';
import { errorTexts } from '../../core/error-texts.ts';
import { Choice, Field, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { maxDistributionNameLength } from '../distribution-page.ts';
import type { SettingsErrors } from './page-settings.ts';
import { NoteField } from './page-settings-fields.tsx';
import { SettingsErrorSummary } from './page-settings-frame.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PublishBuildProps {
  frame: PageFrame;
  head: AppHead;
  build: Build;
  /** Pages to choose from, by name. */
  pages: readonly ListedPage[];
  submitted: { page: string; note: string; notify: boolean };
  errors: SettingsErrors;
}

const t = pageSettingsTexts.publish;

export function renderPublishBuild(props: PublishBuildProps): string {
  const { frame, head, build, submitted, errors } = props;
  const { app } = head;
  const version = `${versionText(build.info)} ${appTexts.app.revision({ revision: build.revision })}`;
  const buildAddress = revisionPath(app.owner, app.platform, app.packageName, build.revision);
  return renderAppArea({
    frame,
    head,
    tab: 'builds',
    title: t.title({ version }),
    crumb: { label: appTexts.app.revision({ revision: build.revision }), address: buildAddress },
    line: t.line,
    width: 'narrow',
    children: (
      <>
        <SettingsErrorSummary errors={errors} />
        <PostForm
          frame={frame}
          class="form"
          action={publishPath(app, build.revision)}
          data-guard={Object.keys(errors).length > 0 ? 'changed' : ''}
        >
          <PageField {...props} />
          <NoteField value={submitted.note} errors={errors.release_note} hint={t.noteHint} />
          <Choice
            type="checkbox"
            id="notify"
            name="notify"
            checked={submitted.notify}
            label={t.notify}
            hint={t.notifyHint}
          />
          <p class="actions">
            <SubmitButton label={t.submit} tone="primary" />
            <a class="button" href={buildAddress}>
              {t.cancel}
            </a>
          </p>
        </PostForm>
      </>
    ),
  });
}

/** The name of a page, which is created if it does not exist. */
function PageField({ pages, submitted, errors }: PublishBuildProps) {
  return (
    <Field
      id="page"
      label={t.page}
      hint={t.pageHint}
      errors={errors.name}
      missing={errorTexts.names.missing}
      control={(attributes) => (
        <>
          <input
            {...attributes}
            name="page"
            type="text"
            value={submitted.page}
            list="pages"
            maxLength={maxDistributionNameLength * 2}
            autocomplete="off"
            dir="auto"
            data-combobox={t.createPage({ name: '{}' })}
            required
          />
          <datalist id="pages">
            {pages.map(({ id, name, revision }) => (
              <option key={id} value={name}>
                {t.serving({ revision })}
              </option>
            ))}
          </datalist>
        </>
      )}
    />
  );
}
