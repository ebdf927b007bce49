import type { ComponentChildren } from 'preact';
import { Field } from '../form-field.tsx';

/** A color as `#` and six hexadecimal digits. With scripts, a picker next to the field sets them. */
export function ColorField(props: {
  id: string;
  label: string;
  hint: ComponentChildren;
  value: string;
  /** Full sentences. */
  errors?: readonly string[] | undefined;
  pattern: string;
  mismatch: string | undefined;
  /** Label of the picker. */
  pickLabel: string;
  /** Initial color of the picker while the field is empty. */
  start: string;
}) {
  const { id, value, pattern, start } = props;
  return (
    <Field
      id={id}
      label={props.label}
      hint={props.hint}
      errors={props.errors}
      mismatch={props.mismatch}
      control={(attributes) => (
        <div class="color-field">
          <input
            {...attributes}
            class="mono"
            type="text"
            name={id}
            value={value}
            maxLength={7}
            pattern={`\\s*(?:${pattern})\\s*`}
            placeholder={start}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
          <input
            type="color"
            aria-label={props.pickLabel}
            value={new RegExp(`^(?:${pattern})$`).test(value) ? value.toLowerCase() : start}
            data-color-of={id}
            hidden
          />
        </div>
      )}
    />
  );
}
