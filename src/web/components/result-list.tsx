import type { ComponentChildren } from 'preact';
import { type PageLinks, Paging } from './paging.tsx';

/** The part of a list that a search updates: a table that becomes blocks on a phone, or the empty state. */
export function SearchResults(props: {
  /** Number of results, announced by `LiveSearch`; `''` without a search. */
  said: string;
  columnHeadings: readonly string[];
  /** Number columns are right-aligned. */
  numbers?: boolean;
  /** Rows of the table. */
  lines: readonly ComponentChildren[];
  nothing: ComponentChildren;
  paging: PageLinks;
  label: string;
  byName: boolean;
}) {
  const { lines, columnHeadings } = props;
  return (
    <div data-found={props.said}>
      {lines.length === 0 ? (
        props.nothing
      ) : (
        <div class="panel">
          <table class={props.numbers ? 'table cards numbers-table' : 'table cards'}>
            <ColumnHeaders columnHeadings={columnHeadings} />
            <tbody>{lines}</tbody>
          </table>
        </div>
      )}
      <Paging links={props.paging} label={props.label} byName={props.byName} />
    </div>
  );
}

export function ColumnHeaders({ columnHeadings }: { columnHeadings: readonly string[] }) {
  return (
    <thead>
      <tr>
        {columnHeadings.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}
