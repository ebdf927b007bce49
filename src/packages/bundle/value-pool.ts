/** The pool with the texts of all values in a resource table: styled strings, then file paths, then other strings. */
import { type BytesPart, damagedBundle } from './protobuf.ts';
import type { PoolStrings } from './string-pool-writer.ts';
import { createStringTable } from './string-table.ts';

/** Maximum for all styled strings together. The largest real apps have a few hundred thousand. */
export const maxSpans = 1_000_000;
const pathPriority = 0;
const normalPriority = 1;

export interface Span {
  tag: BytesPart;
  first: number;
  last: number;
}

/** A text only gets its index when the pool is ordered; before, it can only be added. */
export interface ValuePool {
  add(text: BytesPart, config: number): number;
  addPath(path: BytesPart, config: number): number;
  /** Styled strings are never shared. */
  addStyled(text: BytesPart, spans: Iterable<Span>, config: number): number;
  /**
   * Completes the pool.
   * @param configOrder by index of the configuration; the first one is the default
   */
  order(configOrder: Uint16Array): PoolStrings;
}

export function createValuePool(): ValuePool {
  const strings = createStringTable();
  const styles = createStringTable(false);
  /** Triples of name, first and last unit, and the end of those of each styled string. */
  const spans: number[] = [];
  const spanEnds: number[] = [];
  const placeOf = (index: number) => styles.count + strings.placeOf(index);
  return {
    add: (text, config) => placeOf(strings.add(text, normalPriority, config)),
    addPath: (path, config) => placeOf(strings.add(path, pathPriority, config)),
    addStyled: (text, added, config) => {
      const { count } = styles;
      const index = styles.add(text, normalPriority, config);
      if (index === count) {
        for (const { tag, first, last } of added) {
          spans.push(strings.add(tag, normalPriority), first, last);
          if (spans.length > 3 * maxSpans) throw damagedBundle();
        }
        spanEnds.push(spans.length);
      }
      return styles.placeOf(index);
    },
    order: (configOrder) => {
      for (const table of [strings, styles]) table.sort(configOrder);
      const { count } = styles;
      return {
        isUtf8: true,
        count: count + strings.count,
        sizeOf: (place) => (place < count ? styles.sizeOf(place) : strings.sizeOf(place - count)),
        write: (place, out, at) =>
          place < count ? styles.write(place, out, at) : strings.write(place - count, out, at),
        styleCount: count,
        spansOf: (place) => {
          const index = styles.at(place);
          const words = spans.slice(spanEnds[index - 1] ?? 0, spanEnds[index]);
          for (let at = 0; at < words.length; at += 3) words[at] = placeOf(words[at] ?? 0);
          return words;
        },
      };
    },
  };
}
