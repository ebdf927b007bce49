import { Field } from '../../web/components/form-field.tsx';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { accountTexts } from '../account-texts.ts';
import type { NewPasswordErrors } from './new-password.ts';
import { maxPasswordLength, minimumPasswordLength } from './password.ts';

const t = accountTexts.password;
export const maxEmailLength = 254;

/** The fields `password` and `again`. Entered passwords are never sent back. */
export function NewPasswordFields(props: {
  errors: NewPasswordErrors;
  labels?: { password: string; again: string };
}) {
  const { errors, labels = { password: t.fresh, again: t.again } } = props;
  return (
    <>
      <PasswordField
        id="password"
        label={labels.password}
        hint={t.freshHint({ minimum: minimumPasswordLength })}
        errors={errors.password}
        autocomplete="new-password"
      />
      <PasswordField id="again" label={labels.again} errors={errors.again} autocomplete="new-password" />
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
}) {
  const { id, name = id, label, hint, errors, autocomplete, required = true } = props;
  return (
    <Field
      id={id}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      errors={errors}
      control={(marks) => (
        <input
          {...marks}
          name={name}
          type="password"
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
