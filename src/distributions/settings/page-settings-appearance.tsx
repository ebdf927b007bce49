/** The part of the page settings about what visitors see. */
import { Choice } from '../../web/components/form-field.tsx';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { settingsTexts } from '../../web/shell/settings/settings-texts.ts';
import { NameField } from './page-settings-fields.tsx';
import type { SettingsValues } from './page-settings-form.ts';
import {
  pageAppearancePath,
  renderSettingsPart,
  SettingsForm,
  type SettingsPlace,
} from './page-settings-frame.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

const t = pageSettingsTexts;

export function renderPageAppearance(props: SettingsPlace & { submitted: SettingsValues }): string {
  const { frame, page, submitted, errors } = props;
  return renderSettingsPart(
    props,
    'appearance',
    <SettingsForm frame={frame} action={`${pageAppearancePath(page.accessKey)}/save`} errors={errors}>
      <SettingsSection id="appearance" title={settingsTexts.appearance} line={t.appearanceLine}>
        <div class="form">
          <NameField value={submitted.name} errors={errors.name} hint={t.nameHint} />
          <Choice
            type="checkbox"
            id="feedback"
            name="feedback"
            checked={submitted.feedback !== ''}
            label={t.feedback}
            hint={t.feedbackHint}
          />
        </div>
      </SettingsSection>
    </SettingsForm>,
  );
}
