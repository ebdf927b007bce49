import { accountTexts } from '../web/account-texts.ts';
import { Field } from '../web/form-field.tsx';
import { siteAddresses } from '../web/site-addresses.ts';
import type { NewPasswordFaults } from './new-password.ts';
import { maxPasswordLength, minimumPasswordLength } from './password.ts';

const words = accountTexts.password;
export const maxEmailLength = 254;

/** A password that is chosen, twice: `password` and `again`. What was typed is never sent back. */
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

/** What is typed into a form by hand beside passwords: a name, an address. */
export function TextField(props: {
  id: string;
  label: string;
  hint?: string;
  value: string;
  faults?: readonly string[] | undefined;
  type?: 'text' | 'email';
  autocomplete: string;
  maxLength: number;
  required?: boolean;
}) {
  const { id, label, hint, value, faults, type = 'text', autocomplete, maxLength, required = false } = props;
  return (
    <Field
      id={id}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      faults={faults}
      control={(marks) => {
        const field = { ...marks, name: id, value, autocomplete, maxLength, required };
        const plain = { ...field, autocapitalize: 'none', spellcheck: false } as const;
        return type === 'email' ? <input {...plain} type="email" /> : <input {...plain} type="text" />;
      }}
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
