/** The part of the page settings that deletes the page. */
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { ConfirmationField } from '../../web/components/text-field.tsx';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { pageDeletionPath, renderSettingsPart, type SettingsPlace } from './page-settings-frame.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

const t = pageSettingsTexts;

/** `confirmation`: the typed name. Typing it is a confirmation that works without scripts. */
export function renderPageDeletion(props: SettingsPlace & { confirmation: string }): string {
  const { frame, page, errors, confirmation } = props;
  return renderSettingsPart(
    props,
    'deletion',
    <div class="panel">
      <SettingsSection id="removal" title={t.remove} line={t.removeLine}>
        <PostForm frame={frame} class="form" action={pageDeletionPath(page.accessKey)}>
          <ConfirmationField
            label={t.removeConfirm({ name: page.name })}
            value={confirmation}
            errors={errors.confirmation}
          />
          <p class="actions">
            <SubmitButton label={t.removeButton} tone="danger" />
          </p>
        </PostForm>
      </SettingsSection>
    </div>,
  );
}
