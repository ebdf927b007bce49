import { Field } from '../../web/components/form-field.tsx';
import { siteAddresses } from '../../web/shell/site-addresses.ts';
import { accountTexts } from '../account-texts.ts';
import type { NewPasswordFaults } from './new-password.ts';
import { maxPasswordLength, minimumPasswordLength } from './password.ts';

const words = accountTexts.password;
export const maxEmailLength = 254;

/** The fields `password` and `again`. Entered passwords are never sent back. */
export function NewPasswordFields(props: {
  faults: NewPasswordFaults;
  labels?: { password: string; again: string };
}) {
  const { faults, labels = { password: words.fresh, again: words.again } } = props;
  return (
    <>
      <PasswordField
        id="password"
        label={labels.password}
        hint={words.freshHint(minimumPasswordLength)}
        faults={faults.password}
        autocomplete="new-password"
      />
      <PasswordField id="again" label={labels.again} faults={faults.again} autocomplete="new-password" />
    </>
  );
}

export function PasswordField(props: {
  id: string;
  label: string;
  hint?: string;
  faults?: readonly string[] | undefined;
  autocomplete: 'new-password' | 'current-password';
}) {
  const { id, label, hint, faults, autocomplete } = props;
  return (
    <Field
      id={id}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      faults={faults}
      control={(marks) => (
        <input
          {...marks}
          name={id}
          type="password"
          autocomplete={autocomplete}
          maxLength={maxPasswordLength}
          required
        />
      )}
    />
  );
}

export function NoPassword() {
  return (
    <p class="secondary">
      {words.none} <a href={siteAddresses.forgotPassword}>{words.noneLink}</a>
    </p>
  );
}
