import type { ComponentChildren } from 'preact';
import { type PageLinks, Paging } from './paging.tsx';

/** The part of a list that a search changes: lines as a table that becomes blocks on a phone, or what stands in their place. */
export function FoundLines(props: {
  /** How much was found, said by `LiveSearch`; `''` where nothing is searched for. */
  said: string;
  heads: readonly string[];
  /** Columns of numbers stand to the right. */
  numbers?: boolean;
  /** Rows of the table. */
  lines: readonly ComponentChildren[];
  nothing: ComponentChildren;
  paging: PageLinks;
  label: string;
  byName: boolean;
}) {
  const { lines, heads } = props;
  return (
    <div data-found={props.said}>
      {lines.length === 0 ? (
        props.nothing
      ) : (
        <table class={props.numbers ? 'lines-table numbers-table' : 'lines-table'}>
          <ColumnHeads heads={heads} />
          <tbody>{lines}</tbody>
        </table>
      )}
      <Paging links={props.paging} label={props.label} byName={props.byName} />
    </div>
  );
}

export function ColumnHeads({ heads }: { heads: readonly string[] }) {
  return (
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}
