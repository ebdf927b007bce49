import type { ComponentChildren } from 'preact';
import { errorTexts } from '../../core/error-texts.ts';
import { Field, type FieldProps, typedFirst } from './form-field.tsx';

export interface TextFieldProps {
  id: string;
  /** Defaults to the id. */
  name?: string;
  label: string;
  /** See `FieldProps`. */
  hasTitle?: boolean;
  hint?: ComponentChildren;
  value: string;
  /** Full sentences. */
  errors?: readonly string[] | undefined;
  /** Can be used instead of `errors` for at most one error. */
  error?: string | null | undefined;
  type?: 'text' | 'email' | 'url';
  autocomplete?: string;
  maxLength: number;
  required?: boolean;
  /** Regular expression for the whole value. */
  pattern?: string | undefined;
  /** See `FieldProps`. */
  missing?: string | undefined;
  mismatch?: string | undefined;
  placeholder?: string;
  /** For a number or a few characters. */
  short?: boolean;
  numeric?: boolean;
  /** Whether it is free text in any script, not a name or an address. */
  prose?: boolean;
  /** See `typedFirst`. */
  begins?: boolean;
}

/** A required name that follows `core/name-text.ts`. */
export const NameField = (props: Omit<TextFieldProps, 'id'> & { id?: string }) => (
  <TextField id="name" name="name" missing={errorTexts.names.missing} required prose {...props} />
);

/** Confirms a deletion: the visitor types the name of what is deleted. */
export const ConfirmationField = ({
  value,
  ...props
}: Pick<FieldProps, 'label' | 'errors'> & { value: string }) => (
  <Field
    id="confirmation"
    {...props}
    control={(attributes) => (
      <input
        {...attributes}
        name="confirmation"
        type="text"
        value={value}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        dir="auto"
        required
      />
    )}
  />
);

/** A single-line input. */
export function TextField(props: TextFieldProps) {
  const { id, label, hint, error, errors = error ? [error] : [] } = props;
  return (
    <Field
      id={id}
      label={label}
      hasTitle={props.hasTitle}
      {...(hint === undefined ? {} : { hint })}
      errors={errors}
      missing={props.missing}
      mismatch={props.mismatch}
      control={(attributes) => {
        const field = { ...attributes, ...attributesOf(props) };
        if (props.type === 'email') return <input {...field} type="email" />;
        if (props.type === 'url') return <input {...field} type="url" />;
        return <input {...field} type="text" />;
      }}
    />
  );
}

function attributesOf(props: TextFieldProps) {
  const { id, name = id, value, autocomplete = 'off', maxLength, required = false, placeholder } = props;
  return {
    name,
    value,
    autocomplete,
    maxLength,
    required,
    // The server trims the value.
    pattern: props.pattern === undefined ? undefined : `\\s*(?:${props.pattern})\\s*`,
    ...(props.begins ? typedFirst : {}),
    ...(props.short ? { class: 'short' } : {}),
    ...(props.numeric ? ({ inputMode: 'numeric' } as const) : {}),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(props.prose ? ({ dir: 'auto' } as const) : ({ autocapitalize: 'none', spellcheck: false } as const)),
  };
}
