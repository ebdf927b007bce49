/** Every page once, with all its fields filled through `text`. */
import { renderOwnInvitations } from '../../src/accounts/invitations/own-invitations-page.tsx';
import { renderSignInPage } from '../../src/accounts/sign-in/sign-in-page.tsx';
import type { Build } from '../../src/apps/app.ts';
import { type AppManagement, renderAppPage } from '../../src/apps/app-page.tsx';
import type { BuildActions } from '../../src/apps/builds/build-actions.tsx';
import { renderBuildPage } from '../../src/apps/builds/build-page.tsx';
import { compareBuilds } from '../../src/apps/compare/compare-builds.ts';
import { renderCompareBuilds } from '../../src/apps/compare/compare-builds-page.tsx';
import { renderAppDeletion } from '../../src/apps/deletion/app-deletion-page.tsx';
import { renderBuildRefusal } from '../../src/apps/deletion/build-not-deletable-page.tsx';
import type { ListedPage } from '../../src/apps/listed-page.ts';
import { renderHomePage } from '../../src/apps/lists/home-page.tsx';
import { renderOwnerPage } from '../../src/apps/lists/owner-page.tsx';
import { renderAppSettings } from '../../src/apps/settings/app-settings-page.tsx';
import type { AppPerson } from '../../src/apps/testers/app-people.ts';
import { renderAddedTesters, renderPeoplePage } from '../../src/apps/testers/app-testers-page.tsx';
import type { Visitor } from '../../src/core/visitor.ts';
import { renderDeviceList } from '../../src/devices/device-list-page.tsx';
import { renderMailListPage } from '../../src/mail/pages/mail-administration-page.tsx';
import { renderMailPage } from '../../src/mail/pages/mail-page.tsx';
import { renderMailSettingsPage } from '../../src/mail/pages/mail-settings-page.tsx';
import { renderUnsubscribePage } from '../../src/mail/pages/unsubscribe-page.tsx';
import type { CheckState, DoctorCheck } from '../../src/operations/doctor/doctor-check.ts';
import { renderDoctorPage } from '../../src/operations/doctor/doctor-page.tsx';
import type { PackageInfo } from '../../src/packages/package-info.ts';
import { renderPageGate } from '../../src/pages/access/page-gate.tsx';
import { renderTesterPage } from '../../src/pages/install/tester-page.tsx';
import type { TesterPageProps } from '../../src/pages/install/tester-page-props.ts';
import { type DevicePageProps, renderDevicePage } from '../../src/pages/register-device/device-page.tsx';
import { renderAppPages } from '../../src/pages/settings/app-pages-page.tsx';
import { settingsFormValues } from '../../src/pages/settings/page-settings.ts';
import { renderNewPage } from '../../src/pages/settings/page-settings-new.tsx';
import { renderPageSettings } from '../../src/pages/settings/page-settings-page.tsx';
import { renderPublishBuild } from '../../src/pages/settings/publish-build-page.tsx';
import { renderWorkspacePage } from '../../src/projects/workspaces/workspace-page.tsx';
import { renderBrowserUpload } from '../../src/uploads/browser/browser-upload-page.tsx';
import { renderUploadResult } from '../../src/uploads/browser/upload-result.tsx';
import { renderUploadTargets } from '../../src/uploads/browser/upload-targets-page.tsx';
import { renderCiPage } from '../../src/uploads/ci/ci-page.tsx';
import { renderApiDocsPage } from '../../src/web/api-docs/api-docs-page.tsx';
import { renderErrorPage } from '../../src/web/shell/error-page.tsx';
import { accountPages } from './account-pages.ts';
import { activityPages, someActivity } from './activity-pages.ts';
import { administrationPages } from './administration-pages.ts';
import { feedbackPages } from './feedback-pages.ts';
import {
  createProject,
  makeAndroidInfo,
  makeApp,
  makeAppHead,
  makeBuild,
  makeFrame,
  makeIosInfo,
  now,
  type TextOf,
} from './hostile.ts';
import { addedPeople, every, none, projectPages } from './project-pages.ts';
import { retentionPages } from './retention-pages.ts';
import { searchPages } from './search-pages.ts';
import { securityPages } from './security-pages.ts';
import { webhookPages } from './webhook-pages.ts';

export const noPaging = { newer: null, older: null };

export const visitors = {
  computer: { system: 'desktop', osVersion: null, browser: 'other', inAppName: null, model: null },
  mac: { system: 'desktop', osVersion: null, browser: 'safari', inAppName: null, model: null },
  android: { system: 'android', osVersion: '15', browser: 'other', inAppName: null, model: null },
  iphone: { system: 'ios', osVersion: '17.5', browser: 'safari', inAppName: null, model: 'iphone' },
  instagram: { system: 'ios', osVersion: '17.5', browser: 'in-app', inAppName: 'Instagram', model: 'iphone' },
  bot: { system: 'bot', osVersion: null, browser: 'other', inAppName: null, model: null },
} as const satisfies Record<string, Visitor>;

/** A tester on a phone of the build's platform. */
export function testerProps(text: TextOf, info = makeAndroidInfo(text)): TesterPageProps {
  const update = {
    id: 'u128',
    buildId: 'b1',
    revision: 128,
    versionName: text('2.4.0'),
    versionCode: text('418'),
    releaseNote: text('New: a banner\n\nTry it'),
    withdrawn: false,
    createdAt: now,
  };
  const earlier = { ...update, versionName: text('2.3.0'), releaseNote: text('Before that') };
  return {
    frame: makeFrame(text, false),
    workspace: null,
    page: { accessKey: 'c'.repeat(40), name: text('main'), buildId: 'b1', updatedAt: now, expiresAt: null },
    build: makeBuild(text, info),
    update,
    current: true,
    iconAddress: text('/distributions/c/128/icon?ticket=k'),
    installAddress: text('/distributions/c/128/file?ticket=k'),
    visitor: info.platform === 'ios' ? visitors.iphone : visitors.android,
    device: null,
    blockers: [],
    history: [
      update,
      { ...earlier, id: 'u127', buildId: 'b127', revision: 127, createdAt: now - 86_400_000 },
      {
        ...earlier,
        id: 'u126',
        buildId: 'b126',
        revision: 126,
        withdrawn: true,
        createdAt: now - 2 * 86_400_000,
      },
    ],
    olderAddress: text('/distributions/c?before=u126'),
    newestAddress: null,
    registerAddress: info.ios ? text('/distributions/c/device') : null,
    managePath: null,
    feedbackPath: null,
  };
}

function somePeople(text: TextOf, reasons: readonly AppPerson['reason'][]) {
  return {
    query: text('jo'),
    people: reasons.map((reason, at) => ({
      user: { id: text(`u${at}`), name: text(`jo-${at}`) },
      reason,
      since: reason === 'self' ? null : now,
    })),
    paging: { newer: '/a', older: '/b' },
  };
}

export function settingsProps(text: TextOf): Parameters<typeof renderPageSettings>[0] {
  const page = {
    id: 'd1',
    appId: 'a1',
    accessKey: 'c'.repeat(40),
    name: text('main'),
    active: true,
    mandatoryFrom: 120,
    access: 'passcode' as const,
    passcodeHash: text('hash'),
    expiresAt: now + 86_400_000,
    maxInstalls: 10,
    installs: 3,
    networks: [text('10.0.0.0/8')],
    feedback: true,
    buildId: 'b1',
    releaseNote: text('New: a banner\n\nTry it'),
    createdAt: now,
    updatedAt: now,
  };
  const update = {
    id: text('u1'),
    buildId: 'b1',
    revision: 128,
    versionName: text('2.4.0'),
    versionCode: text('418'),
    releaseNote: text('A note'),
    withdrawn: false,
    createdAt: now,
  };
  return {
    frame: makeFrame(text),
    app: makeApp(text),
    head: makeAppHead(text),
    page,
    submitted: {
      ...settingsFormValues(page, 128, ['g1']),
      expires: text('soon'),
      installs: text('many'),
      passcode: text('open'),
    },
    errors: {},
    managesGroups: true,
    groups: [
      { id: 'g1', name: text('QA'), people: 3 },
      { id: 'g2', name: text('Beta'), people: 1 },
    ],
    choices: { builds: [{ revision: 128, version: text('2.4.0'), extra: text('main') }], more: true },
    served: [update, { ...update, buildId: 'b2', revision: 127, withdrawn: true }],
    blockers: [{ reason: 'build-problem', sentence: text('The package is not signed.') }],
    olderAddress: text('/distributions/c/settings?before=x'),
    done: text('Saved.'),
    installers: { installed: 1, allowed: 4 },
    confirmation: text('mian'),
  };
}

function everySettingsPage(text: TextOf): Record<string, string> {
  const props = settingsProps(text);
  const fault = [text('That is wrong.'), text('And so is that.')];
  const errors = {
    name: fault,
    build: fault,
    note: fault,
    access: fault,
    passcode: fault,
    networks: fault,
    expires: fault,
    installs: fault,
    confirmation: fault,
  };
  const { frame, app, head, choices } = props;
  const submitted = { name: text('main'), revision: '128', note: text('A note') };
  const pending = [
    {
      id: 'i1',
      user: { id: 'u9', name: text('nina') },
      invitedBy: null,
      expiresAt: 1,
      place: { kind: 'app' as const, id: 'a', name: text('com.app'), ownerId: 'u' },
    },
  ];
  const people = {
    frame,
    app: { ...app, owner: { ...app.owner, kind: 'user' as const } },
    head,
    pending,
    managesTeams: false,
    done: text('Done.'),
    submitted: text('jo'),
    errors: [text('No.')],
  };
  return {
    'page settings': renderPageSettings(props),
    'refused page settings': renderPageSettings({ ...props, errors }),
    'own invitations': renderOwnInvitations({ frame, invitations: pending, done: text('Done.') }),
    'new page': renderNewPage({ frame, app, head, submitted, errors: { name: fault }, choices }),
    'new page without builds': renderNewPage({
      frame,
      app,
      head,
      submitted,
      errors: {},
      choices: { builds: [], more: false },
    }),
    people: renderPeoplePage({ ...people, found: somePeople(text, ['self', 'shared']) }),
    'people of a Project': renderPeoplePage({
      ...people,
      app,
      pending: [],
      found: somePeople(text, ['owner', 'developer', 'tester']),
      managesTeams: true,
    }),
    'added testers': renderAddedTesters({ frame, app, head, people: addedPeople(text) }),
    'nobody found in an app': renderPeoplePage({ ...people, found: somePeople(text, []) }),
  };
}

export function appProps(
  text: TextOf,
  platform: 'android' | 'ios' = 'android',
): Parameters<typeof renderAppPage>[0] {
  const info = platform === 'ios' ? makeIosInfo(text) : makeAndroidInfo(text);
  const line = {
    build: makeBuild(text, info),
    iconAddress: text('/builds/b1/icon?key=k'),
    downloadAddress: text('/builds/b1/file?key=k'),
    apkAddress: null,
  };
  const option = (name: string) => ({ value: text(name), label: text(name) });
  return {
    frame: makeFrame(text),
    install: null,
    head: { ...makeAppHead(text, platform), key: text('secret') },
    app: makeApp(text, platform),
    latestRevision: 128,
    builds: [line],
    live: new Map([[line.build.id, ['a', 'b', 'c'].map((name) => ({ name: text(name), accessKey: name }))]]),
    installs: new Map([[line.build.id, 1_204]]),
    paging: { newer: text('?page=1'), older: text('?page=3') },
    searched: { limit: 20_000, upwards: platform === 'ios' },
    total: platform === 'ios' ? null : { builds: 12_128, bytes: 52 * 1024 ** 3 },
    selection: { selected: platform === 'ios', address: text('?select=all') },
    search: {
      address: text('/users/x/apps/y'),
      query: text('storm'),
      key: text('secret'),
      filters: { branch: text('main') },
    },
    options: {
      branch: [option('main'), option('release/2')],
      label: [option('snapshot')],
      uploader: [option('mina'), option('jo')],
      page: [option('QA'), option('Beta')],
      signer: [],
    },
    pages: [makeListedPage(text), { ...makeListedPage(text), id: 'p2', access: 'passcode' }],
    management: managementOf(text, line.build),
  };
}

function makeListedPage(text: TextOf): ListedPage {
  return {
    id: 'p1',
    name: text('main'),
    accessKey: 'c0ffee',
    active: true,
    access: 'unlisted',
    buildId: 'b1',
    revision: 128,
    versionName: text('2.4.0'),
    versionCode: text('418'),
    updatedAt: now,
    expiresAt: now + 86_400_000,
    installs: 31,
  };
}

function managementOf(text: TextOf, build: Build): AppManagement {
  const deleted = (revision: number) => ({
    build: { ...build, id: `deleted-${revision}`, revision },
    deletedAt: now - 3_600_000,
    deletedBy: text('mina'),
  });
  return {
    address: text('/users/x/platforms/android/apps/y/binaries'),
    deleted: [deleted(126), deleted(125)],
    moreDeleted: true,
    recentlyDeleted: [deleted(126)],
    restored: [124],
    protected: [123],
    labeled: [122],
  };
}

function buildCare(text: TextOf, messageError: string | null): BuildActions {
  return {
    address: text('/users/x/platforms/android/apps/y/binaries/128'),
    submittedMessage: text('A message'),
    seenMessage: text('digest'),
    messageError,
    done: messageError === null ? text('It is saved.') : null,
    holding: [{ name: text('main'), settingsAddress: text('/distributions/c/settings') }],
  };
}

/** The pages for people who manage builds, and the comparison of two builds. */
function pagesAboutBuilds(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const props = buildProps(text);
  const free = { ...props, line: { ...props.line, build: { ...props.line.build, protected: false } } };
  const deletion = {
    frame,
    app: makeApp(text, 'ios'),
    head: makeAppHead(text, 'ios'),
    name: text('Tidewatch'),
    contents: { builds: 3, protectedBuilds: 1, bytes: 1, pageNames: [text('main')], pages: 2, testers: 1 },
    onOtherPlatform: true,
    submitted: text('com.example'),
    errors: [text('No.')],
  };
  const kept = { revision: 128, protected: true, pages: [{ name: text('main'), accessKey: text('c') }] };
  return {
    'managed build': renderBuildPage({
      ...free,
      management: buildCare(text, null),
      activity: someActivity(text),
    }),
    'refused message': renderBuildPage({
      ...props,
      management: buildCare(text, text('Too long.')),
      activity: [],
    }),
    'build to be deleted': renderBuildPage({
      ...free,
      management: { ...buildCare(text, null), holding: [] },
    }),
    'refused deletion': renderBuildRefusal({ frame, app: makeApp(text), kept: [kept], others: [1, 2] }),
    'app deletion': renderAppDeletion(deletion),
    comparison: comparison(text, makeAndroidInfo(otherText), makeAndroidInfo(text)),
    'iOS comparison': comparison(text, makeIosInfo(otherText), makeIosInfo(text)),
    'comparison of the same': comparison(text, makeIosInfo(text), makeIosInfo(text)),
  };
}

/** Harmless, but different from the other harmless value, so that the comparison differs in both kinds of test. */
const otherText: TextOf = (plain) => `old ${plain}`;

function comparison(text: TextOf, old: PackageInfo, fresh: PackageInfo): string {
  // A version that is not a number is not compared.
  const older = { ...old, sdkVersion: '99' };
  const line = (build: Build) => ({
    build,
    iconAddress: text('/icon'),
    downloadAddress: text('/file'),
    apkAddress: null,
  });
  const builds = {
    from: makeBuild(text, older),
    to: { ...makeBuild(text, fresh), revision: 129, sizeBytes: 1 },
  };
  return renderCompareBuilds({
    frame: makeFrame(text),
    app: makeApp(text, fresh.platform),
    head: makeAppHead(text, fresh.platform),
    appKey: text('secret'),
    from: line(builds.from),
    to: line(builds.to),
    comparison: compareBuilds(builds.from, builds.to),
  });
}

function bundleProps(text: TextOf, apk: NonNullable<Build['apk']>): ReturnType<typeof buildProps> {
  const props = buildProps(text);
  const { line } = props;
  const verification = apk.state === 'ready' ? { verified: true, verifiedFromSdk: 24, problems: [] } : null;
  const apkAddress = apk.state === 'ready' ? text('/apk') : null;
  return { ...props, verification, line: { ...line, apkAddress, build: { ...line.build, apk } } };
}

export function buildProps(
  text: TextOf,
  info = makeAndroidInfo(text),
): Parameters<typeof renderBuildPage>[0] {
  return {
    frame: makeFrame(text),
    app: makeApp(text, info.platform),
    head: makeAppHead(text, info.platform),
    line: {
      build: makeBuild(text, info),
      iconAddress: text('/icon'),
      downloadAddress: text('/file'),
      apkAddress: null,
    },
    simulatorAddress: text('/simulator'),
    verification: { verified: false, verifiedFromSdk: null, problems: [text('Page 17 differs.')] },
    pages: [{ name: text('main'), address: text('/distributions/c'), since: now, current: true }],
    newerRevision: 129,
    olderRevision: 127,
  };
}

/** The pages for uploads from a browser. */
function pagesOfUploads(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const owner = createProject(text);
  const submitted = {
    message: text('First light'),
    releaseNote: text('For you'),
    distributionKey: 'c'.repeat(40),
    distributionName: text('main'),
    quiet: true,
  };
  const place = { owner, app: null, pages: [] };
  const pages = [{ accessKey: 'c'.repeat(40), name: text('main') }];
  const upload = { frame, place, submitted, refusal: null, maxUploadBytes: 4_000_000 };
  const result = { frame, app: makeApp(text), build: makeBuild(text) };
  const user = { kind: 'user', id: 'u', name: text('mina'), email: text('m'), administrator: false } as const;
  const places = {
    query: text('tide'),
    paging: { newer: text('/upload?before=b'), older: text('/upload?after=a') },
  };
  return {
    upload: renderBrowserUpload(upload),
    'upload to an app': renderBrowserUpload({
      ...upload,
      place: { owner, app: makeApp(text), pages },
      refusal: text('The file is no package.'),
    }),
    'upload from CI': renderCiPage({ frame, owner, permissions: every, system: 'github', key: null }),
    'upload from CI with a new key': renderCiPage({
      frame,
      owner: user,
      permissions: every,
      system: 'curl',
      key: text('slw_key'),
    }),
    'upload result': renderUploadResult({
      ...result,
      page: { name: text('main'), accessKey: 'c'.repeat(40) },
      head: makeAppHead(text),
      iconAddress: text('/builds/b/icon'),
    }),
    'upload result without a page': renderUploadResult({
      ...result,
      page: null,
      head: makeAppHead(text),
      iconAddress: text('/builds/b/icon'),
    }),
    'places to upload to': renderUploadTargets({ frame, found: { ...places, owners: [user, owner] } }),
    'no place to upload to': renderUploadTargets({ frame, found: { ...places, owners: [] } }),
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

function doctorChecks(text: TextOf): DoctorCheck[] {
  const check = (id: DoctorCheck['id'], state: CheckState, advice: string | null): DoctorCheck => ({
    id,
    title: text('Certificate'),
    state,
    found: text('It expires on 5 Dec 2026.'),
    advice,
  });
  return [
    check('version', 'ok', null),
    check('clock', 'warning', text('Renew it.')),
    check('certificate', 'problem', text('Renew it now.')),
    check('mail', 'skipped', null),
  ];
}

/** Every email page. */
function mailPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const mail = {
    id: 'm1',
    userId: 'u1',
    buildId: 'b1',
    pageId: null,
    address: text('mina@example.com'),
    state: 'dead' as const,
    attempts: 3,
    lastError: text('550 no such mailbox'),
    createdAt: now,
    updatedAt: now,
  };
  const line = {
    mail,
    userName: text('mina'),
    appName: text('Tidewatch'),
    versionName: text('2.4'),
    versionCode: text('400'),
    platform: 'ios' as const,
  };
  const choice = (platform: 'ios' | 'android') => ({
    appId: `app-${platform}`,
    platform,
    packageName: text('com.example.tidewatch'),
    ownerName: text('harbour'),
    appName: text('Tidewatch'),
    wanted: true,
  });
  const buildMail = {
    mail,
    userName: text('mina'),
    app: makeApp(text),
    build: makeBuild(text),
    page: null,
    releaseNote: text('New'),
    reason: 'team' as const,
    icon: null,
    brand: { name: null, accent: null, support: null, logo: null },
  };
  const counts = { waiting: 1, sending: 0, sent: 1001, dead: 2, uncertain: 0, closed: 0, kept: 0 };
  const unsubscribe = {
    frame: makeFrame(text, false),
    token: text('token'),
    userName: text('mina'),
    appName: text('Tidewatch'),
    platform: 'ios' as const,
  };
  const paging = { newer: text('/administration/mail?above=x'), older: null };
  return {
    'mail settings': renderMailSettingsPage({
      frame,
      email: text('mina@example.com'),
      canSend: false,
      choices: [choice('ios'), choice('android')],
      paging: noPaging,
      saveAddress: text('/settings/mail'),
      saved: true,
    }),
    'empty mail settings': renderMailSettingsPage({
      frame,
      email: null,
      canSend: true,
      choices: [],
      paging: noPaging,
      saveAddress: text('/settings/mail'),
      saved: false,
    }),
    unsubscribe: renderUnsubscribePage({ ...unsubscribe, state: 'ask' }),
    unsubscribed: renderUnsubscribePage({ ...unsubscribe, state: 'off' }),
    mail: renderMailListPage({
      frame,
      unavailableReason: null,
      counts,
      countedTo: 1000,
      state: 'dead',
      mails: [line],
      paging,
      test: {
        address: text('mina@example.com'),
        sent: false,
        failure: { title: text('Failed.'), reason: text('Refused.') },
      },
    }),
    'no mail': renderMailListPage({
      frame,
      unavailableReason: 'no-url',
      counts: { ...counts, waiting: 0, sent: 0, dead: 0 },
      countedTo: 1000,
      state: null,
      mails: [],
      paging: noPaging,
      test: { address: null, sent: false, failure: null },
    }),
    'one mail': renderMailPage({
      frame,
      unavailableReason: null,
      mail,
      buildMail,
      text: text('A new build'),
    }),
  };
}

export function everyPage(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const project = createProject(text);
  const latest = makeBuild(text);
  const live = [{ name: text('QA'), accessKey: 'c' }];
  const apps = [
    { app: makeApp(text), iconAddress: text('/icon'), latest, live },
    { app: makeApp(text, 'ios'), iconAddress: null, latest: null, live: [] },
  ];
  const members = { owner: [text('mina')], developer: [text('jo')], tester: [] };
  const home = {
    uploadTo: text('mina'),
    apps,
    paging: { newer: null, older: text('/?page=2') },
    projects: [project],
    query: text('tide'),
    projectCount: 1000,
    workspaces: [{ id: 'w', name: text('harbour'), displayName: text('Harbour'), iconUrl: text('/i.png') }],
    workspaceCount: 20,
    canCreateWorkspaces: true,
    setup: null,
    invitations: 2,
    viewer: { onlyTests: false, mayCreateProjects: true, mayUpload: true },
  };
  const ofTester = { ...home, viewer: { ...home.viewer, onlyTests: true }, query: '' };
  const tester = { seen: 127, installed: 120, newer: 2 };
  const done = text('It is done.');
  return {
    'sign-in': renderSignInPage({
      frame: makeFrame(text, false),
      login: text('mina'),
      error: text('Wrong password'),
      to: text('/users/mina'),
    }),
    home: renderHomePage({ frame, content: home, done }),
    'home of nobody': renderHomePage({ frame: makeFrame(text, false), content: null, done }),
    'home of a tester': renderHomePage({
      frame,
      content: {
        ...ofTester,
        apps: apps.map((line, at) => ({ ...line, tester, isElsewhere: at === 1 })),
      },
      done: null,
    }),
    'empty home of a tester': renderHomePage({
      frame,
      content: { ...ofTester, apps: [], paging: noPaging },
      done: null,
    }),
    'home without matches': renderHomePage({ frame, content: { ...home, apps: [] }, done: null }),
    'empty home': renderHomePage({
      frame,
      content: {
        ...home,
        query: '',
        apps: [],
        projects: [],
        workspaces: [],
        paging: noPaging,
        setup: {
          doctor: {
            at: now,
            checks: [{ id: 'mail', state: 'problem', found: text('Refused.'), advice: text('Check it.') }],
          },
          hasProject: true,
          hasPeople: false,
        },
      },
      done: null,
    }),
    project: renderOwnerPage({
      frame,
      owner: project,
      members,
      apps,
      paging: noPaging,
      permissions: every,
      done,
      usage: { bytes: 12_345_678, builds: 12, apps: 2 },
    }),
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
      permissions: none,
      usage: null,
    }),
    workspace: renderWorkspacePage({
      frame,
      workspace: {
        id: 'w',
        name: text('harbour'),
        displayName: text('Harbour Labs'),
        iconUrl: text('/i.png'),
      },
      found: { query: text('tide'), projects: [project], paging: home.paging },
      owns: true,
      administers: true,
      done,
    }),
    ...projectPages(text),
    ...retentionPages(text),
    ...pagesAboutBuilds(text),
    ...accountPages(text),
    ...administrationPages(text),
    ...securityPages(text),
    app: renderAppPage(appProps(text)),
    'iOS app': renderAppPage(appProps(text, 'ios')),
    'app for testers': renderAppPage({ ...appProps(text), management: null }),
    'pages of an app': renderAppPages({
      frame: makeFrame(text),
      head: makeAppHead(text),
      pages: [makeListedPage(text), { ...makeListedPage(text), id: 'p2', active: false, expiresAt: null }],
      paging: { newer: text('/pages'), older: text('/pages?before=x') },
    }),
    'app without pages': renderAppPages({
      frame: makeFrame(text),
      head: makeAppHead(text),
      pages: [],
      paging: noPaging,
    }),
    'publishing a build': renderPublishBuild({
      frame: makeFrame(text),
      head: makeAppHead(text),
      build: makeBuild(text),
      pages: [makeListedPage(text)],
      submitted: { page: text('main'), note: text('A note'), notify: true },
      errors: { name: [text('No.')], note: [text('Too long.')] },
    }),
    'app settings': renderAppSettings({
      frame: makeFrame(text),
      head: makeAppHead(text),
      retention: text('Slipway keeps every build.'),
      done: text('Secret rotated.'),
    }),
    ...everySettingsPage(text),
    ...pagesOfUploads(text),
    ...activityPages(text),
    build: renderBuildPage(buildProps(text)),
    'iOS build': renderBuildPage(buildProps(text, makeIosInfo(text))),
    'app bundle without APK yet': renderBuildPage(bundleProps(text, { state: 'converting', percent: 40 })),
    'app bundle that failed': renderBuildPage(
      bundleProps(text, { state: 'failed', reason: text('It is damaged') }),
    ),
    'app bundle with APK': renderBuildPage(
      bundleProps(text, {
        state: 'ready',
        blob: 'apks/b1.a',
        sizeBytes: 21_000_000,
        sha256: 'ab'.repeat(32),
      }),
    ),
    ...everyTesterPage(text),
    ...everyDevicePage(text),
    ...mailPages(text),
    ...searchPages(text),
    ...webhookPages(text),
    ...feedbackPages(text),
    'tester who can send feedback': renderTesterPage({
      ...testerProps(text),
      feedbackPath: text('/distributions/c/feedback?revision=128'),
    }),
    error: renderErrorPage({
      frame,
      status: 404,
      message: text('distribution page is not found'),
      advice: text('Ask'),
      reference: text('req-1'),
    }),
    doctor: renderDoctorPage({ frame, checks: doctorChecks(text) }),
    'doctor before it has run': renderDoctorPage({ frame, checks: null }),
    'API docs': renderApiDocsPage({
      frame,
      document: openApi(text),
      documentAddress: text('/docs/openapi.json'),
    }),
  };
}

export function everyTesterPage(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const android = testerProps(text);
  const ios = testerProps(text, makeIosInfo(text));
  const known = { udid: text('udid-9'), product: text('iPhone15,4'), osVersion: null, name: text('Phone') };
  const listed = { ...known, udid: text('udid-1') };
  const gate = {
    frame,
    managePath: text('/distributions/c/settings'),
    appPath: text('/users/a/apps/b'),
    signInPath: text('/sign-in?to=c'),
  };
  return {
    tester: renderTesterPage(android),
    'tester on iOS': renderTesterPage(ios),
    'tester whose device is listed': renderTesterPage({ ...ios, device: listed }),
    'tester whose device is not listed': renderTesterPage({ ...ios, device: known }),
    'tester with a computer': renderTesterPage({ ...android, visitor: visitors.computer }),
    'tester with a Macintosh or an iPad': renderTesterPage({ ...ios, visitor: visitors.mac }),
    'tester inside an app': renderTesterPage({
      ...ios,
      visitor: { ...visitors.instagram, inAppName: text('I') },
    }),
    'tester with the other phone': renderTesterPage({ ...ios, visitor: visitors.android }),
    'tester of a blocked build': renderTesterPage({
      ...android,
      blockers: [text('No https.'), text('No room.')],
      installAddress: null,
      managePath: text('/distributions/c/settings'),
    }),
    'tester of an earlier build': renderTesterPage({
      ...android,
      current: false,
      newestAddress: text('/distributions/c'),
    }),
    'closed page': renderPageGate({ ...gate, gate: { kind: 'closed', reason: 'inactive' } }),
    'expired page': renderPageGate({ ...gate, gate: { kind: 'closed', reason: 'expired' } }),
    'page of another network': renderPageGate({ ...gate, gate: { kind: 'wrong-network' } }),
    'page with a passcode': renderPageGate({
      ...gate,
      gate: { kind: 'passcode', action: '/distributions/c/passcode', error: text('Wrong.') },
    }),
  };
}

function everyDevicePage(text: TextOf): Record<string, string> {
  const props: DevicePageProps = {
    frame: makeFrame(text, false),
    workspace: null,
    page: { accessKey: 'c'.repeat(40) },
    ownerName: text('harbour'),
    info: makeIosInfo(text),
    visitor: visitors.iphone,
    blockers: [],
    device: null,
  };
  const device = {
    udid: text('udid-9'),
    product: text('iPhone15,4'),
    osVersion: text('18.1'),
    name: text('Phone'),
  };
  const fit = { fits: false, awaitsProfile: false, sentences: [text('Too old.'), text('Too far.')] };
  const owner = createProject(text);
  const row = {
    id: 'd1',
    ownerId: 'o1',
    ...device,
    osVersion: text('22B83'),
    userId: 'u1',
    pageId: 'p1',
    createdAt: now,
    updatedAt: now,
  };
  const line = {
    device: row,
    userName: text('mina'),
    repeated: false,
    page: { name: text('main'), accessKey: 'c'.repeat(40) },
    apps: [text('Tidewatch'), text('Storm')],
  };
  const bare = {
    device: { ...row, id: 'd2', name: '' },
    userName: null,
    page: null,
    repeated: true,
    apps: [],
  };
  const list = { frame: makeFrame(text), owner, permissions: every, lines: [line, bare], total: 2 };
  return {
    'registering a device': renderDevicePage(props),
    'registering with a computer': renderDevicePage({ ...props, visitor: visitors.computer }),
    'registering with a Macintosh or an iPad': renderDevicePage({ ...props, visitor: visitors.mac }),
    'registering inside an app': renderDevicePage({ ...props, visitor: visitors.instagram }),
    'registered device': renderDevicePage({ ...props, device: { device, registered: true, fit } }),
    'registered device that waits': renderDevicePage({
      ...props,
      device: { device, registered: true, fit: { ...fit, awaitsProfile: true } },
    }),
    'device of another owner': renderDevicePage({ ...props, device: { device, registered: false, fit } }),
    'registered devices': renderDeviceList({ ...list, paging: { newer: text('?page=1'), older: null } }),
    'no registered devices': renderDeviceList({ ...list, lines: [], total: 0, paging: noPaging }),
  };
}
