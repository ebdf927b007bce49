import type { ComponentChildren } from 'preact';
import type { PageFrame } from '../shell/page-frame.ts';

/**
 * Attributes of the field in which everybody types first. The browser focuses it while the page loads, so that what is typed
 * before the script runs is not lost.
 */
export const typedFirst = { 'data-begin': '', autofocus: true } as const;

/** Attributes of a control: its label, hint and errors, and the sentences of the server. */
export interface FieldAttributes {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  /** The browser focuses the first field with an error, also without script. */
  autofocus: true | undefined;
  'data-missing': string | undefined;
  'data-mismatch': string | undefined;
}

export interface FieldProps {
  id: string;
  label: string;
  /** The title beside the only field of a section says the label: it is there for screen readers only. */
  hasTitle?: boolean | undefined;
  /** A hint about the expected value. */
  hint?: ComponentChildren;
  /** Errors of the submitted value; full sentences. */
  errors?: readonly string[] | undefined;
  /** What the server answers to an empty value. `console.js` shows it before the form is sent. */
  missing?: string | undefined;
  /** The same for a value in the wrong form. */
  mismatch?: string | undefined;
  /** Renders the input with these attributes. */
  control: (attributes: FieldAttributes) => ComponentChildren;
}

/** One form field with its hint and errors, linked for screen readers. */
export function Field({ id, label, hasTitle, hint, errors = [], missing, mismatch, control }: FieldProps) {
  const attributes = {
    ...fieldAriaAttributes(id, hint !== undefined, errors),
    'data-missing': missing,
    'data-mismatch': mismatch,
  };
  return (
    <div class="field">
      <label class={hasTitle ? 'unseen' : undefined} for={id}>
        {label}
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {control(attributes)}
      <FieldErrors id={id} errors={errors} />
    </div>
  );
}

function fieldAriaAttributes(id: string, hasHint: boolean, errors: readonly string[]) {
  const describing = [...(hasHint ? [`${id}-hint`] : []), ...(errors.length > 0 ? [`${id}-errors`] : [])];
  return {
    id,
    'aria-describedby': describing.length > 0 ? describing.join(' ') : undefined,
    'aria-invalid': errors.length > 0 ? (true as const) : undefined,
    autofocus: errors.length > 0 ? (true as const) : undefined,
  };
}

/** Choices that are one field. Errors come first, and with them the focus: a list can be longer than the window. */
export function ChoiceGroup(props: {
  id: string;
  legend: string;
  hint?: string;
  errors?: readonly string[] | undefined;
  children: ComponentChildren;
}) {
  const { id, legend, hint, errors = [] } = props;
  // A group has no `aria-invalid`.
  const { 'aria-invalid': _, ...attributes } = fieldAriaAttributes(id, hint !== undefined, errors);
  return (
    <fieldset class="choices" {...attributes} tabIndex={errors.length > 0 ? -1 : undefined}>
      <legend>{legend}</legend>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldErrors id={id} errors={errors} />
      {props.children}
    </fieldset>
  );
}

export function FieldErrors({ id, errors }: { id: string; errors: readonly string[] }) {
  if (errors.length === 0) return null;
  return (
    <ul class="field-errors" id={`${id}-errors`}>
      {errors.map((error) => (
        <li key={error} dir="auto">
          {error}
        </li>
      ))}
    </ul>
  );
}

/** A checkbox or radio button with its label. */
export function Choice(props: {
  type: 'checkbox' | 'radio';
  id: string;
  name: string;
  value?: string;
  checked: boolean;
  label: string;
  hint?: string;
  /** Fields that apply only while it is chosen. The server ignores them otherwise. */
  children?: ComponentChildren;
  /** Shows the fields at once where scripts run: editing one chooses it. */
  isOpen?: boolean;
}) {
  const { type, id, name, value, checked, label, hint, isOpen = false } = props;
  return (
    <div class="choice">
      <input
        id={id}
        type={type}
        name={name}
        value={value}
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <div>
        <label for={id}>{label}</label>
        {hint && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
      {props.children && <div class={isOpen ? 'reveal reveal-open' : 'reveal'}>{props.children}</div>}
    </div>
  );
}

/** Starts every form that changes data: contains the token of its session or browser. */
export function FormHead({ frame }: { frame: PageFrame }) {
  return <input type="hidden" name="csrf" value={frame.formToken} />;
}

/** Shown above a rejected form; links to each field with errors. */
export function ErrorSummary(props: {
  title: string;
  line: string;
  errors: readonly { id: string; label: string }[];
}) {
  if (props.errors.length === 0) return null;
  return (
    <div class="callout callout-danger" role="alert">
      <p class="callout-title">{props.title}</p>
      <p>{props.line}</p>
      <ul>
        {props.errors.map(({ id, label }) => (
          <li key={id}>
            <a href={`#${id}`}>{label}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Confirms a completed action. */
export function SuccessMessage({ sentence }: { sentence: string | null }) {
  if (sentence === null) return null;
  return (
    <p class="callout callout-good" role="status" data-news tabIndex={-1}>
      {sentence}
    </p>
  );
}

export interface ConfirmProps {
  frame: PageFrame;
  /** Where the form posts to. */
  action: string;
  /** What the closed button says. */
  ask: string;
  /** Accessible label of the closed button, if its text alone is unclear. */
  label?: string | undefined;
  /** Says what happens, and what cannot be undone. */
  line: ComponentChildren;
  /** What the button that acts says. */
  button: string;
  /** The button that acts; `danger` unless given. */
  buttonTone?: 'danger' | 'primary';
  /** The closed button; `quiet` in rows, `item` in menus. */
  tone?: keyof typeof tones;
  /** The side of the button from which the question extends: the end in rows. */
  from?: 'start' | 'end';
  /** Fields of the form. */
  children?: ComponentChildren;
}

const tones = {
  quiet: 'button button-quiet',
  plain: 'button',
  danger: 'button button-danger',
  item: 'menu-item menu-danger',
} as const;

/** Asks before anything that cannot be undone. Works without script. */
export function Confirm({ frame, action, ask, label, line, button, children, ...props }: ConfirmProps) {
  const { buttonTone = 'danger', tone = 'danger', from = 'start' } = props;
  return (
    <details class="menu confirm">
      <summary class={tones[tone]} aria-label={label}>
        {ask}…
      </summary>
      <form
        class={`menu-list menu-form confirm-form${from === 'start' ? ' menu-start' : ''}`}
        method="post"
        action={action}
      >
        <FormHead frame={frame} />
        <p>{line}</p>
        {children}
        <button class={`button button-${buttonTone}`} type="submit">
          {button}
        </button>
      </form>
    </details>
  );
}
