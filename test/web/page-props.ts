/** Props of the pages that tests render directly, with all fields filled through `text`. */

import type { Build } from '../../src/apps/app.ts';
import type { AppManagement, renderAppPage } from '../../src/apps/app-page.tsx';
import type { renderBuildPage } from '../../src/apps/builds/build-page.tsx';
import type { ListedPage } from '../../src/apps/listed-page.ts';
import type { Visitor } from '../../src/core/visitor.ts';
import { type DistributionPage, initialPageSettings } from '../../src/distributions/distribution-page.ts';
import type { TesterPageProps } from '../../src/distributions/install/tester-page-props.ts';
import {
  makeAndroidInfo,
  makeApp,
  makeAppHead,
  makeBuild,
  makeFrame,
  makeIosInfo,
  now,
  type TextOf,
} from './hostile.ts';

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
    state: 'passcode',
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
    unregistered: false,
    registerAddress: info.ios ? text('/distributions/c/device') : null,
    managePath: null,
    feedbackPath: null,
  };
}

export function makePage(text: TextOf): DistributionPage {
  return {
    id: 'd1',
    appId: 'a1',
    accessKey: 'c'.repeat(40),
    ...initialPageSettings,
    name: text('main'),
    mandatoryFrom: 120,
    access: 'passcode',
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
    live: new Map([
      [
        line.build.id,
        ['a', 'b', 'c'].map((name) => ({ ...makeListedPage(text), name: text(name), accessKey: name })),
      ],
    ]),
    checks: new Map(),
    sizes: new Map([
      [
        'b1',
        { downloadBytes: 2_000_000, exact: false, previous: { revision: 127, downloadBytes: 1_500_000 } },
      ],
    ]),
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
    maxInstalls: 40,
    networks: [],
    isServable: true,
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
    size: { downloadBytes: 2_000_000, exact: false, previous: { revision: 127, downloadBytes: 1_500_000 } },
    simulatorAddress: text('/simulator'),
    verification: { verified: false, verifiedFromSdk: null, problems: [text('Page 17 differs.')] },
    pages: [{ ...makeListedPage(text), address: text('/distributions/c'), since: now, current: true }],
    newerRevision: 129,
    olderRevision: 127,
  };
}
