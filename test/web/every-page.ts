/** Every page once, with all its fields filled through `text`. */
import { renderSignInPage } from '../../src/access/sign-in-page.tsx';
import { renderAppPage } from '../../src/apps/app-page.tsx';
import { renderBuildPage } from '../../src/apps/build-page.tsx';
import { renderHomePage } from '../../src/apps/home-page.tsx';
import { renderOwnerPage } from '../../src/apps/owner-page.tsx';
import { renderInactiveTesterPage, renderTesterPage } from '../../src/distributions/tester-page.tsx';
import { renderWorkspacePage } from '../../src/projects/workspace-page.tsx';
import { renderApiDocsPage } from '../../src/web/api-docs-page.tsx';
import { renderErrorPage } from '../../src/web/error-page.tsx';
import {
  makeAndroidInfo,
  makeApp,
  makeBuild,
  makeFrame,
  makeIosInfo,
  makeProject,
  now,
  type TextOf,
} from './hostile.ts';

export const noPaging = { newer: null, older: null };

export function testerProps(
  text: TextOf,
  info = makeAndroidInfo(text),
): Parameters<typeof renderTesterPage>[0] {
  const update = {
    buildId: 'b1',
    versionName: text('2.3.0'),
    versionCode: text('400'),
    releaseNote: text('Before that'),
    createdAt: now - 86_400_000,
  };
  return {
    frame: makeFrame(text, false),
    page: {
      accessKey: 'c'.repeat(40),
      name: text('main'),
      releaseNote: text('New: a banner\n\nTry it'),
      updatedAt: now,
    },
    build: makeBuild(text, info),
    iconAddress: text('/builds/b1/icon?key=k'),
    installAddress: text('/builds/b1/file?key=k'),
    verification: null,
    serverObstacles: [],
    history: [
      { ...update, revision: 128, createdAt: now },
      { ...update, revision: 127 },
    ],
  };
}

export function appProps(text: TextOf): Parameters<typeof renderAppPage>[0] {
  const half = (platform: 'android' | 'ios') => {
    const info = platform === 'ios' ? makeIosInfo(text) : makeAndroidInfo(text);
    const line = {
      build: makeBuild(text, info),
      iconAddress: text('/builds/b1/icon?key=k'),
      downloadAddress: text('/builds/b1/file?key=k'),
    };
    const page = {
      name: text('main'),
      address: text('/distributions/c'),
      active: true,
      revision: 128,
      updatedAt: now,
    };
    const paging = { newer: text('?page=1'), older: text('?page=3') };
    return { app: makeApp(text, platform), latest: line, builds: [line], paging, pages: [page] };
  };
  return {
    frame: makeFrame(text),
    owner: makeApp(text).owner,
    packageName: text('com.example.tidewatch'),
    halves: [half('android'), half('ios')],
    search: { address: text('/users/x/apps/y'), query: text('storm'), key: text('secret') },
  };
}

export function buildProps(
  text: TextOf,
  info = makeAndroidInfo(text),
): Parameters<typeof renderBuildPage>[0] {
  return {
    frame: makeFrame(text),
    app: makeApp(text, info.platform),
    line: { build: makeBuild(text, info), iconAddress: text('/icon'), downloadAddress: text('/file') },
    simulatorAddress: text('/simulator'),
    verification: { verified: false, verifiedFromSdk: null, problems: [text('Page 17 differs.')] },
    pages: [{ name: text('main'), address: text('/distributions/c'), since: now, current: true }],
    newerRevision: 129,
    olderRevision: 127,
  };
}

function openApi(text: TextOf): unknown {
  const schema = {
    type: 'object',
    title: text('Project'),
    description: text('A Project.'),
    required: [text('name')],
    properties: {
      [text('name')]: { type: text('string'), description: text('Its name.'), example: text('x') },
    },
  };
  const content = {
    'application/json': { schema: { $ref: '#/components/schemas/Project' }, example: { a: text('b') } },
  };
  const form = { [text('multipart/form-data')]: { schema } };
  const operation = {
    tags: [text('Uploads')],
    summary: text('Upload'),
    description: text('Takes a build.'),
    operationId: text('upload'),
    parameters: [
      { name: text('owner'), in: text('path'), description: text('Who'), example: text('mina'), schema: {} },
    ],
    requestBody: { content: form },
    responses: { 200: { description: text('The build'), content } },
  };
  return {
    info: { title: text('Slipway API'), version: text('1'), description: text('Upload.') },
    tags: [{ name: text('Uploads'), description: text('One call.') }],
    security: [{ key: [] }],
    paths: { [text('/api/users/{owner}/apps')]: { post: operation } },
    components: {
      securitySchemes: { [text('key')]: { description: text('A key.') } },
      schemas: { Project: schema },
    },
  };
}

export function everyPage(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const project = makeProject(text);
  const latest = { revision: 128, info: makeAndroidInfo(text), createdAt: now };
  const apps = [
    { app: makeApp(text), iconAddress: text('/icon'), latest },
    { app: makeApp(text, 'ios'), iconAddress: null, latest: null },
  ];
  const members = { owner: [text('mina')], developer: [text('jo')], tester: [] };
  const home = {
    uploadTo: text('mina'),
    apps,
    paging: { newer: null, older: text('/?page=2') },
    projects: [project],
  };
  return {
    'sign-in': renderSignInPage({
      frame: makeFrame(text, false),
      login: text('mina'),
      error: text('Wrong password'),
      to: text('/users/mina'),
    }),
    home: renderHomePage({ frame, content: home }),
    'home of nobody': renderHomePage({ frame: makeFrame(text, false), content: null }),
    'empty home': renderHomePage({ frame, content: { ...home, apps: [], projects: [], paging: noPaging } }),
    project: renderOwnerPage({ frame, owner: project, members, apps, paging: noPaging, canUpload: true }),
    user: renderOwnerPage({
      frame,
      owner: {
        kind: 'user',
        id: 'u',
        name: text('mina'),
        email: text('m@example.com'),
        administrator: false,
      },
      members: null,
      apps: [],
      paging: noPaging,
      canUpload: false,
    }),
    workspace: renderWorkspacePage({
      frame,
      workspace: {
        id: 'w',
        name: text('harbour'),
        displayName: text('Harbour Labs'),
        iconUrl: text('/i.png'),
      },
      projects: [{ project, address: text('/organizations/x') }],
    }),
    app: renderAppPage(appProps(text)),
    build: renderBuildPage(buildProps(text)),
    'iOS build': renderBuildPage(buildProps(text, makeIosInfo(text))),
    tester: renderTesterPage(testerProps(text)),
    'tester on iOS': renderTesterPage(testerProps(text, makeIosInfo(text))),
    'tester of a blocked build': renderTesterPage({
      ...testerProps(text),
      serverObstacles: [text('No https.'), text('No room.')],
    }),
    'inactive tester': renderInactiveTesterPage({ frame }),
    error: renderErrorPage({
      frame,
      status: 404,
      message: text('distribution page is not found'),
      advice: text('Ask'),
      reference: text('req-1'),
    }),
    'API docs': renderApiDocsPage({
      frame,
      document: openApi(text),
      documentAddress: text('/docs/openapi.json'),
    }),
  };
}
