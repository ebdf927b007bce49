/** Sections and tables of pages about sizes. */
import type { ComponentChildren } from 'preact';
import { sizeTexts } from './size-texts.ts';

export function Section(props: {
  id: string;
  title: string;
  action?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section" aria-labelledby={props.id}>
      <div class="section-head">
        <h2 id={props.id}>{props.title}</h2>
        {props.action}
      </div>
      {props.children}
    </section>
  );
}

/** A table whose first column is a name and whose other columns are numbers. */
export function SizeTable(props: {
  caption: string;
  columns: readonly string[];
  /** The cells of each row, the first of which is its header. */
  rows: readonly { id: string; cells: readonly ComponentChildren[] }[];
  /** Indexes of the columns that phones have no room for. */
  wideColumns?: readonly number[];
  /** How many further rows there are. */
  more?: number;
}) {
  const { caption, columns, rows, wideColumns = [], more = 0 } = props;
  const numberClass = (column: number) => (wideColumns.includes(column) ? 'num hide-phone' : 'num');
  return (
    <div class="panel size-table">
      <table class="table">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={column} scope="col" class={index === 0 ? undefined : numberClass(index)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, cells: [first, ...others] }) => (
            <tr key={id}>
              <th scope="row">{first}</th>
              {others.map((cell, index) => (
                <td key={index} class={numberClass(index + 1)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p class="panel-foot">{sizeTexts.inside.more({ count: more })}</p>}
    </div>
  );
}

/** A name with a second line. */
export function NameCell(props: { name: ComponentChildren; line?: string | null; tint?: string }) {
  return (
    <span class="size-name">
      {props.tint && <i class={`swatch ${props.tint}`} aria-hidden="true" />}
      <span>
        {props.name}
        {props.line && <span class="line-2">{props.line}</span>}
      </span>
    </span>
  );
}
