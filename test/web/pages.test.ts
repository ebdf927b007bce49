import { describe, expect, it } from 'vitest';
import { renderAppPage } from '../../src/apps/app-page.tsx';
import { renderBuildPage } from '../../src/apps/builds/build-page.tsx';
import { renderHomePage } from '../../src/apps/lists/home-page.tsx';
import { renderTesterPage } from '../../src/distributions/install/tester-page.tsx';
import { renderWorkspacePage } from '../../src/projects/workspaces/workspace-page.tsx';
import { renderErrorPage } from '../../src/web/shell/error-page.tsx';
import { readElements } from './elements.ts';
import { createProject, makeApp, makeFrame, origin, plainText } from './hostile.ts';
import { appProps, buildProps, noPaging, testerProps } from './page-props.ts';

const emptyHome = {
  uploadTo: 'mina',
  query: '',
  apps: [],
  paging: noPaging,
  projects: [],
  projectCount: 0,
  workspaces: [],
  workspaceCount: 0,
  canCreateWorkspaces: false,
  refusing: [],
  setup: null,
  invitations: 0,
  viewer: { onlyTests: false, mayCreateProjects: true, mayUpload: true },
};
describe('addresses from uploads', () => {
  it('are not linked when a CI run has a javascript: address', () => {
    const props = buildProps(plainText);
    props.line.build.buildUrl = 'javascript:alert(document.domain)//https://ci.example.com';
    const app = appProps(plainText);
    for (const line of app.builds) line.build.buildUrl = props.line.build.buildUrl;
    for (const html of [renderBuildPage(props), renderAppPage(app)]) {
      const links = readElements(html).map(({ attributes }) => attributes.get('href') ?? '');
      expect(links.filter((href) => /javascript:/i.test(href))).toEqual([]);
    }
    expect(renderBuildPage(props)).toContain('javascript:alert(document.domain)');
  });

  it('are linked without a referrer when a CI run has an http address', () => {
    const link = readElements(renderBuildPage(buildProps(plainText))).find(
      ({ attributes }) => attributes.get('href') === 'https://ci.example.com/run/4412',
    );
    expect(link?.attributes.get('rel')).toContain('noreferrer');
  });

  it('show a monogram for a Workspace whose icon is on another host', () => {
    const workspace = {
      id: 'w',
      name: 'h',
      displayName: 'Harbour',
      iconUrl: 'https://elsewhere.example/i.png',
    };
    const found = { query: '', projects: [], paging: noPaging };
    const props = { frame: makeFrame(plainText), found };
    expect(renderWorkspacePage({ ...props, workspace })).not.toContain('elsewhere.example');
    expect(renderWorkspacePage({ ...props, workspace })).toContain('monogram');
    const own = renderWorkspacePage({ ...props, workspace: { ...workspace, iconUrl: `${origin}/i.png` } });
    expect(own).toContain('src="/i.png"');
  });
});

describe('empty states', () => {
  it('show the upload command with this server and owner', () => {
    const content = { ...emptyHome, projects: [createProject(plainText)] };
    const html = renderHomePage({ frame: makeFrame(plainText), content, done: null });
    const code = readElements(html).find(({ tag }) => tag === 'code')?.text;
    expect(code).toContain(`curl ${origin}/api/users/mina/apps`);
    expect(code).toContain('-F file=@');
  });

  it('explain an app without builds, and a search without results', () => {
    const props = appProps(plainText);
    const empty = (change: Partial<typeof props>) => renderAppPage({ ...props, builds: [], ...change });
    expect(empty({ latestRevision: null, options: null })).toContain('No builds');
    expect(empty({})).toContain('No matching builds');
    expect(empty({ pages: [] })).toContain('No open page');
  });

  it('explain what a Project is for, but not to a key, which cannot create one', () => {
    const asPerson = renderHomePage({ frame: makeFrame(plainText), content: emptyHome, done: null });
    expect(asPerson).toContain('href="/projects/new"');
    const asKey = renderHomePage({ frame: makeFrame(plainText, false), content: emptyHome, done: null });
    expect(asKey).not.toContain('id="projects"');
  });
});

describe('long and unusual names', () => {
  it('keep a list small: a message of 32 KB is truncated', () => {
    const props = appProps(plainText);
    for (const line of props.builds) line.build.message = 'm'.repeat(32_766);
    expect(renderAppPage(props).length).toBeLessThan(30_000);
  });

  it('do not change the direction of the surrounding text', () => {
    const props = appProps(plainText);
    props.head.app.latestName = '\u202Eevil مراقبة';
    expect(renderAppPage(props)).toContain('<bdi>\u202Eevil مراقبة</bdi>');
  });

  it('link to the page of exactly this package', () => {
    const packageName = `com.${'segment.'.repeat(24)}app`;
    const app = { ...makeApp(plainText), packageName };
    const content = { ...emptyHome, apps: [{ app, iconAddress: null, latest: null, live: [] }] };
    const links = readElements(renderHomePage({ frame: makeFrame(plainText), content, done: null }));
    const path = `/users/tidewatch-mobile/platforms/android/apps/${packageName}`;
    expect(links.map(({ attributes }) => attributes.get('href'))).toContain(path);
  });
});

describe('pages opened with the secret of an App', () => {
  it('keep the secret in their links, and add none when there is none', () => {
    const links = (html: string) =>
      readElements(html)
        .filter(({ tag }) => tag === 'a')
        .map(({ attributes }) => attributes.get('href') ?? '')
        .filter((href) => href.includes('/binaries/') && !href.endsWith('/publish'));
    const props = appProps(plainText);
    const build = buildProps(plainText);
    for (const html of [
      renderAppPage(props),
      renderBuildPage({ ...build, head: { ...build.head, key: 'secret' }, appKey: 'secret' }),
    ]) {
      expect(links(html).length).toBeGreaterThan(0);
      expect(links(html).filter((href) => !href.endsWith('?key=secret'))).toEqual([]);
    }
    const withoutKey = renderAppPage({
      ...props,
      head: { ...props.head, key: null },
      search: { ...props.search, key: null },
    });
    for (const html of [withoutKey, renderBuildPage(build)]) {
      expect(links(html).filter((href) => href.includes('secret'))).toEqual([]);
    }
  });
});

describe('the error page', () => {
  const page = (status: number, signedIn: boolean) =>
    renderErrorPage({ frame: makeFrame(plainText, signedIn), status, message: 'you are not authenticated' });

  it('shows the message as a sentence and offers a next step', () => {
    expect(page(401, false)).toContain('You are not authenticated.');
    expect(
      readElements(page(404, false)).filter(({ attributes }) => attributes.get('href') === '/sign-in'),
    ).toHaveLength(2);
    expect(page(403, true)).not.toContain('/sign-in');
    expect(page(418, true)).toContain('Something went wrong');
  });
});

describe('signing out', () => {
  it('is a form with the session’s token, only for signed-in visitors', () => {
    const home = renderHomePage({ frame: makeFrame(plainText), content: emptyHome, done: null });
    const forms = readElements(home).filter(({ tag }) => tag === 'form');
    expect(forms.map(({ attributes }) => attributes.get('action'))).toContain('/sign-out');
    expect(home).toContain('name="csrf" value="c5rf"');
    expect(renderTesterPage(testerProps(plainText))).not.toContain('/sign-out');
  });
});
