import type { ComponentChildren, ComponentProps } from 'preact';
import type { PageFrame } from '../shell/page-frame.ts';

/**
 * Attributes of the field in which most people type first. The browser focuses it while the page loads, so that text typed before
 * the scripts run is not lost.
 */
export const typedFirst = { 'data-begin': '', autofocus: true } as const;

/** Attributes of a control: its label, hint and errors, and the server's error messages. */
export interface FieldAttributes {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  /** Makes the browser focus the first field with an error, even without scripts. */
  autofocus: true | undefined;
  'data-missing': string | undefined;
  'data-mismatch': string | undefined;
}

export interface FieldProps {
  id: string;
  label: string;
  /** Whether the title next to the only field of a section is equal to the label, which is then only for screen readers. */
  hasTitle?: boolean | undefined;
  /** A hint about the expected value. */
  hint?: ComponentChildren;
  /** Errors of the submitted value, as full sentences. */
  errors?: readonly string[] | undefined;
  /** The server's error for an empty value. `console.js` shows it before the form is sent. */
  missing?: string | undefined;
  /** The server's error for a malformed value. */
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

/** Choices that form one field. Errors and the focus come first, because a list may be longer than the window. */
export function ChoiceGroup(props: {
  id: string;
  legend: string;
  hint?: string;
  errors?: readonly string[] | undefined;
  children: ComponentChildren;
}) {
  const { id, legend, hint, errors = [] } = props;
  // `aria-invalid` is not allowed on a group.
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
  /** Fields that only apply while it is selected. The server ignores them otherwise. */
  children?: ComponentChildren;
  /** Always shows the fields if scripts run: editing one selects the choice. */
  isOpen?: boolean;
  disabled?: boolean;
}) {
  const { type, id, name, value, checked, label, hint, isOpen = false, disabled = false } = props;
  return (
    <div class="choice">
      <input
        id={id}
        type={type}
        name={name}
        value={value}
        checked={checked}
        disabled={disabled}
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

/** A form that changes data: contains the token of its session or browser. */
export function PostForm(props: { frame: PageFrame } & ComponentProps<'form'>) {
  const { frame, class: classes, children, ...attributes } = props;
  return (
    <form class={classes} method="post" {...attributes}>
      <input type="hidden" name="csrf" value={frame.formToken} />
      {children}
    </form>
  );
}

/** The button that submits its form. */
export function SubmitButton(
  props: { label: string; tone?: 'primary' | 'danger' | 'quiet' | undefined } & ComponentProps<'button'>,
) {
  const { label, tone, ...attributes } = props;
  return (
    <button class={tone ? `button button-${tone}` : 'button'} type="submit" {...attributes}>
      {label}
    </button>
  );
}

/** A form under a heading, with one button. */
export function FormSection(props: {
  frame: PageFrame;
  id: string;
  title: string;
  line: string;
  action: string;
  button: string;
  hasFile?: boolean;
  children: ComponentChildren;
}) {
  const { frame, id, title, line, action, button, hasFile = false } = props;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="hint lead-hint">{line}</p>
      <PostForm
        frame={frame}
        class="form"
        action={action}
        enctype={hasFile ? 'multipart/form-data' : undefined}
      >
        {props.children}
        <p class="actions">
          <SubmitButton label={button} />
        </p>
      </PostForm>
    </section>
  );
}

/** Shown above a rejected form, with a link to each field with errors. */
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
  /** The path that the form posts to. */
  action: string;
  /** Text of the closed button. */
  ask: string;
  /** Accessible label of the closed button, if its text alone is unclear. */
  label?: string | undefined;
  /** Explains what will happen, and what cannot be undone. */
  line: ComponentChildren;
  /** Text of the button that submits; that of the closed button by default. */
  button?: string;
  /** Tone of the button that submits; `danger` by default. */
  buttonTone?: 'danger' | 'primary';
  /** Tone of the closed button: `quiet` in rows, where the question extends from its end, `item` in menus. */
  tone?: keyof typeof tones;
  /** Shows the question at once, such as after an error. */
  isOpen?: boolean;
  /** Fields of the form. */
  children?: ComponentChildren;
}

const tones = {
  quiet: 'button button-quiet',
  plain: 'button',
  danger: 'button button-danger',
  item: 'menu-item menu-danger',
} as const;

/** Asks for confirmation of an action that cannot be undone. Works without scripts. */
export function Confirm({ frame, action, ask, label, line, children, ...props }: ConfirmProps) {
  const { button = ask, buttonTone = 'danger', tone = 'danger' } = props;
  return (
    <details class="menu confirm" open={props.isOpen}>
      <summary class={tones[tone]} aria-label={label}>
        {ask}…
      </summary>
      <PostForm
        frame={frame}
        class={`menu-list menu-form confirm-form${tone === 'quiet' ? '' : ' menu-start'}`}
        action={action}
      >
        <p>{line}</p>
        {children}
        <SubmitButton label={button} tone={buttonTone} />
      </PostForm>
    </details>
  );
}
