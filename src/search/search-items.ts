/** Search results as lines with an address, for the search page and the palette. */
import type { App } from '../apps/app.ts';
import { appUploadPath, distributionPath, platformAppPath, revisionPath } from '../apps/app-paths.ts';
import { appTexts } from '../apps/app-texts.ts';
import { iconAddress } from '../apps/builds/build-rows.ts';
import { versionText } from '../apps/builds/version-text.ts';
import { pageStateOf } from '../apps/distributions/page-state.ts';
import type { FileTokens } from '../apps/files/file-token.ts';
import type { User } from '../owners/owner.ts';
import {
  newProjectPath,
  projectPath,
  userPath,
  workspacePath,
  workspacesPath,
} from '../owners/owner-paths.ts';
import type { GlyphName } from '../web/components/glyph.tsx';
import { sitePaths, withQuery } from '../web/shell/site-paths.ts';
import { texts } from '../web/shell/texts.ts';
import type { SearchResults } from './search.ts';
import { maxFound, maxResults, type SearchQuery } from './search-query.ts';
import { searchTexts } from './search-texts.ts';

export interface SearchItem {
  address: string;
  title: string;
  revision?: number;
  line: string;
  end: string;
  picture:
    | { kind: 'icon'; address: string | null; name: string }
    | { kind: 'avatar'; name: string }
    | { kind: 'glyph'; glyph: GlyphName };
}

export interface SearchGroup {
  id: string;
  label: string;
  items: readonly SearchItem[];
  /** Number of matches, counted up to `maxFound`. */
  count: number;
  isCapped: boolean;
  /** Address that shows the rest; null if nothing is left out. */
  moreAddress: string | null;
}

const t = searchTexts;

/** Returns the groups with results, in display order. `show`: the group to show completely. `now`: epoch ms. */
export function searchGroups(
  results: SearchResults,
  viewer: { user: User; query: SearchQuery; show: string | null; fileTokens: FileTokens; now: number },
): SearchGroup[] {
  const { user, show } = viewer;
  const { words, text } = viewer.query;
  const groups: Pick<SearchGroup, 'id' | 'label' | 'items'>[] = [
    {
      id: 'apps',
      label: words.length === 0 ? t.groups.recent : t.groups.apps,
      items: appItems(results, viewer.fileTokens),
    },
    { id: 'builds', label: t.groups.builds, items: buildItems(results, viewer.fileTokens) },
    { id: 'pages', label: t.groups.pages, items: pageItems(results, viewer.now) },
    { id: 'owners', label: t.groups.owners, items: ownerItems(results, user) },
    { id: 'actions', label: t.groups.actions, items: actionItems(results.uploadTo, user, words) },
  ];
  const hasGroup = groups.some(({ id, items }) => id === show && items.length > 0);
  return groups
    .filter(({ id, items }) => items.length > 0 && (!hasGroup || id === show))
    .map(({ id, label, items }) => {
      const isWhole = id === 'actions' || id === show || items.length <= maxResults;
      const found = items.slice(0, maxFound);
      return {
        id,
        label,
        items: isWhole ? found : found.slice(0, maxResults),
        count: found.length,
        isCapped: items.length > maxFound,
        moreAddress: isWhole ? null : withQuery(sitePaths.search, { q: text, show: id }),
      };
    });
}

const nameOf = (app: App) => app.latestName ?? app.packageName;
const glyph = (name: GlyphName) => ({ kind: 'glyph', glyph: name }) as const;

function appItems({ apps }: SearchResults, fileTokens: FileTokens): SearchItem[] {
  return apps.map(({ app, latest }) => ({
    address: platformAppPath(app.owner, app.platform, app.packageName),
    title: nameOf(app),
    line: `${app.owner.name} · ${app.packageName}`,
    end: texts.platforms[app.platform],
    picture: {
      kind: 'icon',
      address: latest ? iconAddress(fileTokens, app, latest.id) : null,
      name: nameOf(app),
    },
  }));
}

const maxMessageLength = 120;

function buildItems({ builds }: SearchResults, fileTokens: FileTokens): SearchItem[] {
  return builds.map(({ app, build }) => ({
    address: revisionPath(app.owner, app.platform, app.packageName, build.revision),
    title: `${build.info.name} ${versionText(build.info)}`,
    revision: build.revision,
    line: buildLine(build.message, [
      build.branch,
      build.label,
      build.commit?.slice(0, 8) ?? null,
      build.source?.repository ?? null,
    ]),
    end: texts.platforms[app.platform],
    picture: { kind: 'icon', address: iconAddress(fileTokens, app, build.id), name: build.info.name },
  }));
}

/** Returns the first line of the message, otherwise branch, label and commit. */
function buildLine(message: string, facts: readonly (string | null)[]): string {
  const [first = ''] = message.trim().split('\n', 1);
  return [first.slice(0, maxMessageLength).toWellFormed(), ...facts].filter(Boolean).join(' · ');
}

function pageItems({ pages }: SearchResults, now: number): SearchItem[] {
  return pages.map(({ app, page }) => ({
    address: distributionPath(page.accessKey),
    title: page.name,
    line: t.serving({ app: nameOf(app), revision: page.revision }),
    end: appTexts.pages.states[pageStateOf(page, now)],
    picture: glyph('globe'),
  }));
}

function ownerItems({ people, projects, workspaces }: SearchResults, user: User): SearchItem[] {
  return [
    ...people.map(({ name, projectName }) => ({
      address: personAddress(name, projectName, user),
      title: name,
      line:
        name === user.name ? t.you : projectName === null ? t.account : t.memberOf({ project: projectName }),
      end: '',
      picture: { kind: 'avatar', name } as const,
    })),
    ...projects.map(({ name, description }) => ({
      address: projectPath(name),
      title: name,
      line: description.slice(0, maxMessageLength).toWellFormed(),
      end: t.project,
      picture: { kind: 'avatar', name } as const,
    })),
    ...workspaces.map(({ name, displayName }) => ({
      address: workspacePath(name),
      title: displayName === '' ? name : displayName,
      line: name,
      end: t.workspace,
      picture: { kind: 'avatar', name } as const,
    })),
  ];
}

/** Only administrators and the people themselves can open the page of a person. Others are linked to the shared Project. */
function personAddress(name: string, projectName: string | null, user: User): string {
  if (name === user.name) return userPath(name);
  return projectName === null ? `${sitePaths.people}/${encodeURIComponent(name)}` : projectPath(projectName);
}

type ActionName = keyof typeof t.actions;

const places: readonly { name: ActionName; address: string; glyph: GlyphName; administrator?: true }[] = [
  { name: 'upload', address: sitePaths.upload, glyph: 'upload' },
  { name: 'apps', address: sitePaths.home, glyph: 'box' },
  { name: 'projects', address: sitePaths.projects, glyph: 'people' },
  { name: 'newProject', address: newProjectPath, glyph: 'plus' },
  { name: 'workspaces', address: workspacesPath, glyph: 'people' },
  { name: 'libraries', address: sitePaths.librarySearch, glyph: 'search' },
  { name: 'storeRules', address: sitePaths.storeRules, glyph: 'clock' },
  { name: 'keys', address: sitePaths.keys, glyph: 'key' },
  { name: 'settings', address: sitePaths.settings, glyph: 'settings' },
  { name: 'mail', address: sitePaths.mailSettings, glyph: 'mail' },
  { name: 'docs', address: sitePaths.docs, glyph: 'external' },
  { name: 'administration', address: sitePaths.administration, glyph: 'shield', administrator: true },
  { name: 'people', address: sitePaths.people, glyph: 'people', administrator: true },
  { name: 'owners', address: sitePaths.owners, glyph: 'box', administrator: true },
  { name: 'work', address: sitePaths.work, glyph: 'clock', administrator: true },
  { name: 'mailAdministration', address: sitePaths.mailAdministration, glyph: 'mail', administrator: true },
  { name: 'doctor', address: sitePaths.doctor, glyph: 'check', administrator: true },
  { name: 'audit', address: sitePaths.audit, glyph: 'shield', administrator: true },
];
const placesWithoutQuery: readonly ActionName[] = ['upload', 'projects', 'keys', 'administration'];

function actionItems(uploadTo: App | null, user: User, words: readonly string[]): SearchItem[] {
  const open = places.filter(({ administrator }) => administrator === undefined || user.administrator);
  const shown = open.filter(({ name }) => {
    if (words.length === 0) return placesWithoutQuery.includes(name);
    const text = t.actions[name].join(' ').toLowerCase();
    return words.every((word) => text.includes(word.toLowerCase()));
  });
  const items = shown.map(({ name, address, glyph: picture }) => ({
    address,
    title: t.actions[name][0] ?? '',
    line: '',
    end: '',
    picture: glyph(picture),
  }));
  if (!uploadTo) return items;
  return [
    ...items,
    {
      address: appUploadPath(uploadTo),
      title: t.uploadTo({ app: nameOf(uploadTo) }),
      line: '',
      end: texts.platforms[uploadTo.platform],
      picture: glyph('upload'),
    },
  ];
}
