import { Field, type FieldProps } from '../form-field.tsx';

/** One of a few values, or of many. */
export function SelectField(
  props: Omit<FieldProps, 'control'> & {
    /** Defaults to the id. */
    name?: string;
    value?: string | number | undefined;
    options: readonly (readonly [value: string | number, label: string])[];
    /** For a few characters. */
    short?: boolean;
    /** Whether fields depend on the value; see `web/browser/`. */
    reveals?: boolean;
  },
) {
  const { name = props.id, value, options, short, reveals, ...field } = props;
  return (
    <Field
      {...field}
      control={(attributes) => (
        <select
          {...attributes}
          class={short ? 'short' : undefined}
          name={name}
          data-reveals={reveals ? '' : undefined}
        >
          {options.map(([option, label]) => (
            <option key={option} value={option} selected={option === value}>
              {label}
            </option>
          ))}
        </select>
      )}
    />
  );
}
