/** Form for a new distribution page. */

import type { App } from '../../apps/app.ts';
import { createPagePath } from '../../apps/app-addresses.ts';
import { AppPageHead } from '../../apps/app-page-head.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { FormHead } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { SettingsErrors } from './page-settings.ts';
import { type BuildChoices, BuildField, NameField, NoteField } from './page-settings-fields.tsx';
import { SettingsErrorSummary } from './page-settings-page.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface NewPageProps {
  frame: PageFrame;
  app: App;
  typed: { name: string; revision: string; note: string };
  faults: SettingsErrors;
  /** A page needs a build. */
  choices: BuildChoices;
}

const words = pageSettingsTexts;

export function renderNewPage(props: NewPageProps): string {
  const { frame, app, faults } = props;
  return renderPage({
    frame,
    title: words.newTitle,
    forms: true,
    width: 'narrow',
    children: (
      <>
        <AppPageHead app={app} title={words.newTitle} line={words.newLine} />
        <SettingsErrorSummary faults={faults} />
        {props.choices.builds.length > 0 ? (
          <NewPageForm {...props} />
        ) : (
          <EmptyState title={texts.app.noBuilds}>
            <p class="secondary">{words.newWithoutBuilds}</p>
          </EmptyState>
        )}
      </>
    ),
  });
}

function NewPageForm({ frame, app, typed, faults, choices }: NewPageProps) {
  return (
    <form class="form" method="post" action={createPagePath(app)}>
      <FormHead frame={frame} />
      <NameField value={typed.name} faults={faults.name} hint={words.newNameHint} />
      <BuildField value={typed.revision} choices={choices} faults={faults.build} />
      <NoteField value={typed.note} faults={faults.note} hint={words.newNoteHint} />
      <p class="actions">
        <button class="button" type="submit">
          {words.create}
        </button>
      </p>
    </form>
  );
}
