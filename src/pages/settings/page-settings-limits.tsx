/** Fields of the page settings: limits, feedback and required updates. */
import { Choice, Field } from '../../web/components/form-field.tsx';
import { joinSentences } from '../../web/components/formats.ts';
import { expiryDays } from './page-settings.ts';
import { type FieldsProps, FormSection } from './page-settings-fields.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

const t = pageSettingsTexts;

const expiryKinds = ['never', ...expiryDays, 'date'] as const;

/** Expiry and install limit. */
export function LimitFields({ submitted, errors, installs }: FieldsProps) {
  return (
    <FormSection title={t.groups.until}>
      <fieldset class="choices" id="expiry">
        <legend>{t.expiry}</legend>
        {expiryKinds.map((kind) => (
          <Choice
            key={kind}
            type="radio"
            id={`expiry-${kind}`}
            name="expiry"
            value={String(kind)}
            checked={submitted.expiry === String(kind)}
            label={t.expiryKinds[kind]}
          >
            {kind === 'date' && (
              <Field
                id="expires"
                label={t.expires}
                hint={<span data-time-zone={t.expiresLocal({ zone: '{}' })}>{t.expiresHint}</span>}
                errors={errors.expires}
                control={(marks) => (
                  <input
                    {...marks}
                    class="short"
                    name="expires"
                    type="datetime-local"
                    value={submitted.expires}
                    data-utc
                  />
                )}
              />
            )}
          </Choice>
        ))}
      </fieldset>
      <Choice
        type="checkbox"
        id="limits-installs"
        name="limits-installs"
        checked={submitted.limitsInstalls}
        label={t.limitsInstalls}
      >
        <Field
          id="installs"
          label={t.installs}
          hint={joinSentences([t.installsHint, t.installsCounted({ count: installs })])}
          errors={errors.installs}
          control={(marks) => (
            <input
              {...marks}
              class="short"
              name="installs"
              type="text"
              inputMode="numeric"
              value={submitted.installs}
              maxLength={9}
              autocomplete="off"
            />
          )}
        />
        {installs > 0 && (
          <Choice type="checkbox" id="recount" name="recount" checked={submitted.recount} label={t.recount} />
        )}
      </Choice>
    </FormSection>
  );
}

export function FeedbackField({ submitted }: Pick<FieldsProps, 'submitted'>) {
  return (
    <FormSection title={t.groups.feedback}>
      <Choice
        type="checkbox"
        id="feedback"
        name="feedback"
        checked={submitted.feedback}
        label={t.feedback}
        hint={t.feedbackHint}
      />
    </FormSection>
  );
}

/** What apps that check for updates are told. */
export function UpdateFields({ submitted, errors }: Pick<FieldsProps, 'submitted' | 'errors'>) {
  return (
    <FormSection title={t.groups.updates}>
      <Field
        id="mandatoryFrom"
        label={t.mandatoryFrom}
        hint={t.mandatoryFromHint}
        errors={errors.mandatoryFrom}
        control={(marks) => (
          <input
            {...marks}
            class="short"
            name="mandatory-from"
            type="text"
            inputMode="numeric"
            value={submitted.mandatoryFrom}
            maxLength={16}
            autocomplete="off"
          />
        )}
      />
    </FormSection>
  );
}
