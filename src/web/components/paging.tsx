import { texts } from '../shell/texts.ts';

/** Links to the adjacent pages of a list from new to old; null if there is none. */
export interface PageLinks {
  newer: string | null;
  older: string | null;
}

export function Paging(props: {
  links: PageLinks;
  label: string;
  /** For lists by name, which have neither newer nor older pages. */
  byName?: boolean;
}) {
  const { links, label, byName = false } = props;
  if (!links.newer && !links.older) return null;
  return (
    <nav class="paging" aria-label={label}>
      {links.newer ? (
        <a href={links.newer} rel="prev">
          ← {byName ? texts.previous : texts.newer}
        </a>
      ) : (
        <span />
      )}
      {links.older && (
        <a href={links.older} rel="next">
          {byName ? texts.next : texts.older} →
        </a>
      )}
    </nav>
  );
}
