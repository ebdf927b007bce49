/** The form for a new distribution page. */

import type { App } from '../../apps/app.ts';
import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import { createPagePath, newPagePath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { SettingsErrors } from './page-settings.ts';
import { type BuildChoices, BuildField, NameField, NoteField } from './page-settings-fields.tsx';
import { SettingsErrorSummary } from './page-settings-frame.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface NewPageProps {
  frame: PageFrame;
  app: App;
  head: AppHead;
  submitted: { name: string; revision: string; note: string };
  errors: SettingsErrors;
  /** A page needs a build. */
  choices: BuildChoices;
}

const t = pageSettingsTexts;

export function renderNewPage(props: NewPageProps): string {
  const { frame, app, errors } = props;
  return renderAppArea({
    frame,
    head: props.head,
    tab: 'pages',
    title: t.newTitle,
    crumb: { label: t.newTitle, address: newPagePath(app.owner, app.platform, app.packageName) },
    line: t.newLine,
    width: 'narrow',
    children: (
      <>
        <SettingsErrorSummary errors={errors} />
        {props.choices.builds.length > 0 ? (
          <NewPageForm {...props} />
        ) : (
          <EmptyState title={appTexts.app.noBuilds}>
            <p class="secondary">{t.newWithoutBuilds}</p>
          </EmptyState>
        )}
      </>
    ),
  });
}

function NewPageForm({ frame, app, submitted, errors, choices }: NewPageProps) {
  return (
    <PostForm frame={frame} class="form" action={createPagePath(app)}>
      <NameField value={submitted.name} errors={errors.name} hint={t.newNameHint} />
      <BuildField value={submitted.revision} choices={choices} errors={errors.revision} />
      <NoteField value={submitted.note} errors={errors.release_note} hint={t.newNoteHint} />
      <p class="actions">
        <SubmitButton label={t.create} tone="primary" />
      </p>
    </PostForm>
  );
}
