import type { ComponentChildren } from 'preact';
import { Field } from './form-field.tsx';

export interface TextFieldProps {
  id: string;
  /** The id when absent. */
  name?: string;
  label: string;
  hint?: ComponentChildren;
  value: string;
  /** Full sentences. */
  faults?: readonly string[] | undefined;
  /** In place of `faults` where there is at most one. */
  fault?: string | null | undefined;
  type?: 'text' | 'email' | 'url';
  autocomplete?: string;
  maxLength: number;
  required?: boolean;
  placeholder?: string;
  /** For a number or a few characters. */
  short?: boolean;
  numeric?: boolean;
  /** Words for people, in any script, and no name or address. */
  prose?: boolean;
}

/** One line that is typed into a form by hand. */
export function TextField(props: TextFieldProps) {
  const { id, label, hint, fault, faults = fault ? [fault] : [] } = props;
  return (
    <Field
      id={id}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      faults={faults}
      control={(marks) => {
        const field = { ...marks, ...attributesOf(props) };
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
    ...{ name, value, autocomplete, maxLength, required },
    ...(props.short ? { class: 'short' } : {}),
    ...(props.numeric ? ({ inputMode: 'numeric' } as const) : {}),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(props.prose ? ({ dir: 'auto' } as const) : ({ autocapitalize: 'none', spellcheck: false } as const)),
  };
}
