import type { ComponentChildren } from 'preact';
import { texts } from '../shell/texts.ts';
import { type PageLinks, Paging } from './paging.tsx';

/** The part of a list that live search replaces: a table that becomes blocks on a phone, or the empty state. */
export function SearchResults(props: {
  /** Number of results, announced by `LiveSearch`; empty without a search. */
  said: string;
  columnHeadings: readonly string[];
  /** Whether columns of numbers are right-aligned. */
  numbers?: boolean;
  /** The rows of the table. */
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

/** On a page with several lists, more rows than this are collapsed, so that the next list stays within reach. */
const maxShown = 5;

/** A list of `li` elements, collapsed if it is long. */
export function FoldedList({ style, rows }: { style: string; rows: readonly ComponentChildren[] }) {
  const folded = rows.slice(maxShown);
  return (
    <>
      <ul class={style}>{rows.slice(0, maxShown)}</ul>
      {folded.length > 0 && (
        <details class="quiet-fold">
          <summary>{texts.showMore({ count: folded.length })}</summary>
          <ul class={style}>{folded}</ul>
        </details>
      )}
    </>
  );
}
