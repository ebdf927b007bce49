/** Fields shared by several forms about distribution pages. */

import { errorTexts } from '../../core/error-texts.ts';
import { Field } from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { maxDistributionNameLength } from '../distribution-page.ts';
import type { SettingsErrors } from './page-settings.ts';
import type { SettingsValues } from './page-settings-form.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

/** Available builds, newest first, including the live one. */
export interface BuildChoices {
  builds: readonly BuildChoice[];
  /** Whether the app has more builds. */
  more: boolean;
}

/** A build that can be published on the page. */
export interface BuildChoice {
  revision: number;
  version: string;
  /** Label or branch, if any. */
  extra: string;
}

const t = pageSettingsTexts;

export function NameField(props: { value: string; errors: readonly string[] | undefined; hint: string }) {
  return (
    <Field
      id="name"
      label={t.name}
      hint={props.hint}
      errors={props.errors}
      missing={errorTexts.names.missing}
      control={(attributes) => (
        <input
          {...attributes}
          name="name"
          type="text"
          value={props.value}
          maxLength={maxDistributionNameLength * 2}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          dir="auto"
          required
        />
      )}
    />
  );
}

/** A choice of the newest builds and, if there are more, a field for the revision of any other build. */
export function BuildField(props: {
  value: string;
  choices: BuildChoices;
  errors: readonly string[] | undefined;
}) {
  const { value, choices } = props;
  const isListed = choices.builds.some(({ revision }) => String(revision) === value);
  return (
    <>
      <BuildSelect {...props} errors={choices.more ? undefined : props.errors} />
      {choices.more && (
        <Field
          id="other-revision"
          label={t.otherRevision}
          hint={t.otherRevisionHint}
          errors={props.errors}
          control={(attributes) => (
            <input
              {...attributes}
              class="short"
              name="other-revision"
              type="text"
              inputMode="numeric"
              value={isListed ? '' : value}
              maxLength={16}
              autocomplete="off"
            />
          )}
        />
      )}
    </>
  );
}

function BuildSelect(props: { value: string; choices: BuildChoices; errors: readonly string[] | undefined }) {
  return (
    <SelectField
      id="revision"
      label={t.build}
      hint={t.buildHint}
      errors={props.errors}
      value={props.value}
      options={props.choices.builds.map(({ revision, version, extra }) => [
        String(revision),
        t.buildOption({ revision, version }) + (extra ? ` · ${extra}` : ''),
      ])}
    />
  );
}

export function NoteField(props: { value: string; errors: readonly string[] | undefined; hint: string }) {
  return (
    <Field
      id="release_note"
      label={t.note}
      hint={props.hint}
      errors={props.errors}
      control={(attributes) => (
        <textarea {...attributes} name="note" rows={6} dir="auto" value={props.value}>
          {props.value}
        </textarea>
      )}
    />
  );
}

/** The response to apps that check for updates. */
export function MandatoryField({ submitted, errors }: { submitted: SettingsValues; errors: SettingsErrors }) {
  return (
    <Field
      id="mandatory_from"
      label={t.mandatoryFrom}
      hint={t.mandatoryFromHint}
      errors={errors.mandatory_from}
      control={(attributes) => (
        <input
          {...attributes}
          class="short"
          name="mandatory-from"
          type="text"
          inputMode="numeric"
          value={submitted['mandatory-from']}
          maxLength={16}
          autocomplete="off"
        />
      )}
    />
  );
}
