import { renderToString } from 'preact-render-to-string';
import { AppIcon } from '../web/components/app-icon.tsx';
import { Avatar } from '../web/components/avatar.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { SubmitButton } from '../web/components/form-field.tsx';
import { formatCount } from '../web/components/formats.ts';
import { Glyph } from '../web/components/glyph.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import type { SearchGroup, SearchItem } from './search-items.ts';
import { markedParts, maxQueryLength, type SearchQuery } from './search-query.ts';
import { searchTexts } from './search-texts.ts';

export interface SearchPageProps {
  frame: PageFrame;
  query: SearchQuery;
  groups: readonly SearchGroup[];
}

const t = searchTexts;

/** The search page, for searches without scripts or on a phone, and for links to a search. */
export function renderSearchPage(props: SearchPageProps): string {
  const { frame, query, groups } = props;
  return renderPage({
    frame,
    title: query.text === '' ? t.title : t.titleOf({ query: query.text }),
    width: 'narrow',
    children: (
      <div class="search-page">
        <h1>{t.title}</h1>
        {/* biome-ignore lint/a11y/useSemanticElements: old phones do not know the search element */}
        <form class="search-field" role="search" aria-label={t.title} method="get" action={sitePaths.search}>
          <label class="unseen" for="q">
            {t.label}
          </label>
          <input
            id="q"
            type="search"
            name="q"
            value={query.text}
            maxLength={maxQueryLength}
            placeholder={t.hint}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
          <SubmitButton label={t.button} />
        </form>
        {query.text !== '' && <p class="soft fine">{foundText(groups, query.text)}</p>}
        {groups.map((group) => (
          <section key={group.id} class="search-group" aria-labelledby={`${group.id}-found`}>
            <h2 class="menu-label" id={`${group.id}-found`}>
              {group.label}
              {group.moreAddress && <span class="pill">{countText(group)}</span>}
            </h2>
            <ul>
              {group.items.map((item) => (
                <li key={item.address}>
                  <a class="option plain" href={item.address}>
                    <ItemContent item={item} frame={frame} words={query.words} />
                  </a>
                </li>
              ))}
            </ul>
            {group.moreAddress && (
              <p class="search-more">
                <a class="button button-quiet" href={group.moreAddress}>
                  {moreText(group)}
                </a>
              </p>
            )}
          </section>
        ))}
        {groups.length === 0 && (
          <EmptyState title={t.noResults({ query: query.text })}>
            <p>{t.noResultsLine}</p>
          </EmptyState>
        )}
      </div>
    ),
  });
}

/** The options of the palette, and (in `data-found`) the text that a screen reader announces. */
export function renderSearchOptions({ frame, query, groups }: SearchPageProps): string {
  return renderToString(
    <div data-found={query.text === '' ? '' : foundText(groups, query.text)}>
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options in a listbox
        <div key={group.id} role="group" aria-labelledby={`palette-${group.id}`}>
          <p class="menu-label" id={`palette-${group.id}`}>
            {group.label}
          </p>
          {group.items.map((item, index) => (
            <a
              key={item.address}
              class="option plain"
              role="option"
              id={`palette-${group.id}-${index}`}
              aria-selected={false}
              tabIndex={-1}
              href={item.address}
            >
              <ItemContent item={item} frame={frame} words={query.words} />
            </a>
          ))}
          {group.moreAddress && (
            <a
              class="option plain"
              role="option"
              id={`palette-${group.id}-more`}
              aria-selected={false}
              tabIndex={-1}
              href={group.moreAddress}
            >
              <span class="soft">{moreText(group)}</span>
            </a>
          )}
        </div>
      ))}
      {groups.length === 0 && (
        <p class="palette-nothing">
          <strong>{t.noResults({ query: query.text })}</strong>
          <span>{t.noResultsLine}</span>
        </p>
      )}
    </div>,
  );
}

const countOf = (groups: readonly SearchGroup[]) => groups.reduce((sum, { count }) => sum + count, 0);

const countText = ({ count, isCapped }: SearchGroup) => `${formatCount(count)}${isCapped ? '+' : ''}`;

const moreText = ({ count, isCapped }: SearchGroup) => (isCapped ? t.showFirst : t.showAll)({ count });

function ItemContent(props: { item: SearchItem; frame: PageFrame; words: readonly string[] }) {
  const { item, frame, words } = props;
  return (
    <>
      <Picture picture={item.picture} origin={frame.origin} />
      <span class="option-text">
        <span class="cut">
          <bdi>
            <Marked text={item.title} words={words} />
          </bdi>
          {item.revision !== undefined && (
            <>
              {' '}
              <span class="revision">{t.revision({ revision: item.revision })}</span>
            </>
          )}
        </span>
        {item.line !== '' && (
          <span class="cut line-2">
            <Marked text={item.line} words={words} />
          </span>
        )}
      </span>
      {item.end !== '' && <span class="end">{item.end}</span>}
    </>
  );
}

function Picture({ picture, origin }: { picture: SearchItem['picture']; origin: string }) {
  switch (picture.kind) {
    case 'icon':
      return <AppIcon address={picture.address} origin={origin} name={picture.name} size="small" />;
    case 'avatar':
      return <Avatar name={picture.name} size="small" />;
    case 'glyph':
      return (
        <span class="avatar avatar-s tint-0" aria-hidden="true">
          <Glyph name={picture.glyph} />
        </span>
      );
  }
}

function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return (
    <>
      {markedParts(text, words).map((part) =>
        part.marked ? <mark key={part.at}>{part.text}</mark> : part.text,
      )}
    </>
  );
}

function foundText(groups: Parameters<typeof countOf>[0], query: string): string {
  const count = countOf(groups);
  if (count === 0) return t.noResults({ query });
  return (groups.some(({ isCapped }) => isCapped) ? t.foundMore : t.found)({ count });
}
