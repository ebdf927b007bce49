import { SubmitButton } from './form-field.tsx';
import { Glyph } from './glyph.tsx';

/** A field that searches while the user types. `part`: id of the element with the results. */
export function LiveSearch(props: {
  address: string;
  part: string;
  /** Other fields submitted with the query. */
  hidden?: Readonly<Record<string, string>>;
  query: string;
  label: string;
  hint: string;
  button: string;
}) {
  return (
    <search>
      <form class="find" method="get" action={props.address} data-live={props.part}>
        {Object.entries(props.hidden ?? {}).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <label class="unseen" for="q">
          {props.label}
        </label>
        <Glyph name="search" />
        <input
          id="q"
          type="search"
          name="q"
          value={props.query}
          placeholder={props.hint}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        <noscript>
          <SubmitButton label={props.button} />
        </noscript>
        <p class="unseen" role="status" />
      </form>
    </search>
  );
}
