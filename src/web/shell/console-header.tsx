/** The top of every page of the console: main navigation, search and the account menu. */
import { Avatar } from '../components/avatar.tsx';
import { PostForm } from '../components/form-field.tsx';
import { Glyph, type GlyphName } from '../components/glyph.tsx';
import { BrandName } from './mark.tsx';
import type { PageFrame, Viewer } from './page-frame.ts';
import { type SiteSection, sitePaths } from './site-paths.ts';
import { texts } from './texts.ts';

const t = texts.nav;

export function ConsoleHeader(props: { frame: PageFrame; viewer: Viewer; section: SiteSection | undefined }) {
  const { frame, viewer, section } = props;
  const places = placesOf(viewer);
  return (
    <header class="top">
      <div class="wrap top-bar">
        <a class="wordmark" href={sitePaths.home}>
          <BrandName frame={frame} />
        </a>
        <nav class="top-links" aria-label={t.main}>
          {places.map(({ place, address, label }) => (
            <a key={place} href={address} aria-current={place === section ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <SearchField />
        <a class="menu-round only-phone plain" href={sitePaths.search} aria-label={t.search}>
          <Glyph name="search" />
        </a>
        <AccountMenu frame={frame} viewer={viewer} places={places} />
      </div>
    </header>
  );
}

interface Place {
  place: SiteSection;
  address: string;
  label: string;
  glyph: GlyphName;
}

function placesOf(viewer: Viewer): Place[] {
  const places: Place[] = [
    { place: 'apps', address: sitePaths.home, label: t.apps, glyph: 'box' },
    { place: 'projects', address: sitePaths.projects, label: t.projects, glyph: 'people' },
  ];
  if (!viewer.administrator) return places;
  const administration = texts.administration.title;
  return [
    ...places,
    { place: 'administration', address: sitePaths.administration, label: administration, glyph: 'shield' },
  ];
}

function SearchField() {
  return (
    // biome-ignore lint/a11y/useSemanticElements: old phones do not know the search element
    <form
      class="find"
      role="search"
      aria-label={t.searchEverywhere}
      method="get"
      action={sitePaths.search}
      data-words={JSON.stringify({ ...texts.palette, hint: t.searchPlaceholder })}
    >
      <label class="unseen" for="find">
        {t.search}
      </label>
      <Glyph name="search" />
      <input
        id="find"
        type="search"
        name="q"
        maxLength={200}
        placeholder={t.searchPlaceholder}
        aria-keyshortcuts="/ Control+K Meta+K"
        autocomplete="off"
      />
      <kbd>/</kbd>
    </form>
  );
}

function AccountMenu(props: { frame: PageFrame; viewer: Viewer; places: readonly Place[] }) {
  const { frame, viewer, places } = props;
  return (
    <details class="menu account">
      <summary class="menu-round">
        <span class="unseen">{t.accountMenu}</span>
        <span class="only-wide">
          <Avatar name={viewer.name} />
        </span>
        <span class="only-phone">
          <Glyph name="menu" />
        </span>
      </summary>
      <div class="menu-list">
        <a class="menu-who plain" href={viewer.address}>
          <Avatar name={viewer.name} size="large" />
          <span>
            <strong class="cut">{viewer.name}</strong>
            <span class="soft fine">{t.yourApps}</span>
          </span>
        </a>
        <hr />
        <div class="only-phone">
          {places.map(({ place, address, label, glyph }) => (
            <MenuLink key={place} address={address} label={label} glyph={glyph} />
          ))}
          <hr />
        </div>
        <MenuLink address={sitePaths.upload} label={t.upload} glyph="upload" />
        <MenuLink address={sitePaths.settings} label={texts.settings} glyph="settings" />
        <MenuLink address={sitePaths.keys} label={t.keys} glyph="key" />
        <MenuLink address={sitePaths.docs} label={texts.docs} glyph="external" />
        <hr />
        <PostForm frame={frame} action={sitePaths.signOut}>
          <button class="menu-item" type="submit">
            <Glyph name="signOut" />
            {texts.signOut}
          </button>
        </PostForm>
      </div>
    </details>
  );
}

function MenuLink({ address, label, glyph }: { address: string; label: string; glyph: GlyphName }) {
  return (
    <a class="menu-item" href={address}>
      <Glyph name={glyph} />
      {label}
    </a>
  );
}
