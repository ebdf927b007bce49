import type { ComponentChildren } from 'preact';
import { Field } from '../form-field.tsx';

/** A field for files. The button in it is the browser's, so it works without scripts and is in the browser's language. */
export function FileField(props: {
  id: string;
  /** Defaults to the id. */
  name?: string;
  label: string;
  hint: ComponentChildren;
  /** Full sentences. */
  errors?: readonly string[] | undefined;
  /** Media types or extensions, separated by commas. */
  accept: string;
  multiple?: boolean;
  required?: boolean;
}) {
  const { id, name = id, label, hint, errors, accept, multiple, required } = props;
  return (
    <Field
      id={id}
      label={label}
      hint={hint}
      errors={errors}
      control={(attributes) => (
        <input
          {...attributes}
          type="file"
          name={name}
          accept={accept}
          multiple={multiple}
          required={required}
        />
      )}
    />
  );
}
