import { Field } from '../../web/components/form-field.tsx';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { accountTexts } from '../account-texts.ts';
import type { NewPasswordErrors } from './new-password.ts';
import { maxPasswordLength, minimumPasswordLength } from './password.ts';

const t = accountTexts.password;
export const maxEmailLength = 254;

/**
 * The fields `password` and `again`. Only the form of a new account may fill in its `kept` password; no other password is ever
 * sent back.
 */
export function NewPasswordFields(props: {
  errors: NewPasswordErrors;
  labels?: { password: string; again: string };
  kept?: string;
}) {
  const { errors, labels = { password: t.fresh, again: t.again }, kept } = props;
  return (
    <>
      <PasswordField
        id="password"
        label={labels.password}
        hint={t.freshHint({ minimum: minimumPasswordLength })}
        errors={errors.password}
        autocomplete="new-password"
        kept={kept}
      />
      <PasswordField
        id="again"
        label={labels.again}
        errors={errors.again}
        autocomplete="new-password"
        kept={kept}
      />
    </>
  );
}

export function PasswordField(props: {
  id: string;
  /** Defaults to the id. */
  name?: string;
  label: string;
  hint?: string;
  errors?: readonly string[] | undefined;
  autocomplete: 'new-password' | 'current-password' | 'off';
  required?: boolean;
  kept?: string | undefined;
}) {
  const { id, name = id, label, hint, errors, autocomplete, required = true } = props;
  return (
    <Field
      id={id}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      errors={errors}
      control={(attributes) => (
        <input
          {...attributes}
          name={name}
          type="password"
          {...(props.kept ? { value: props.kept } : {})}
          autocomplete={autocomplete}
          maxLength={maxPasswordLength}
          required={required}
        />
      )}
    />
  );
}

export function NoPassword() {
  return (
    <p class="secondary">
      {t.none} <a href={sitePaths.forgotPassword}>{t.noneLink}</a>
    </p>
  );
}
