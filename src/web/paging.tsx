import { texts } from './texts.ts';

/** The neighbours of one page of a list that runs from new to old; null where there is none. */
export interface PageLinks {
  newer: string | null;
  older: string | null;
}

export function Paging({ links, label }: { links: PageLinks; label: string }) {
  if (!links.newer && !links.older) return null;
  return (
    <nav class="paging" aria-label={label}>
      {links.newer ? (
        <a href={links.newer} rel="prev">
          ← {texts.newer}
        </a>
      ) : (
        <span />
      )}
      {links.older && (
        <a href={links.older} rel="next">
          {texts.older} →
        </a>
      )}
    </nav>
  );
}
