/** The administration pages and the page of the user's devices, with all their fields filled through `text`. */

import { renderAdministrationBranding } from '../../src/administration/administration-branding-page.tsx';
import type { AdministeredJob } from '../../src/administration/administration-jobs.ts';
import { renderJobsPage } from '../../src/administration/administration-jobs-page.tsx';
import type { Overview } from '../../src/administration/administration-overview.ts';
import { renderOverviewPage } from '../../src/administration/administration-overview-page.tsx';
import { renderOwnersPage } from '../../src/administration/administration-owners-page.tsx';
import { renderPeoplePage } from '../../src/administration/administration-people-page.tsx';
import type { Person } from '../../src/administration/administration-person.ts';
import { renderPersonPage } from '../../src/administration/administration-person-page.tsx';
import type { OwnerLine } from '../../src/administration/administration-storage.ts';
import { showBrand, showRejectedBrand } from '../../src/branding/branding-form-http.ts';
import { groupByDevice } from '../../src/devices/own-devices.ts';
import { renderOwnDevices } from '../../src/devices/own-devices-page.tsx';
import { createProject, makeFrame, now, type TextOf } from './hostile.ts';

export function administrationPages(text: TextOf): Record<string, string> {
  return {
    ...overviews(text),
    ...peoplePages(text),
    ...ownerPages(text),
    ...workPages(text),
    ...brandingPages(text),
    ...devicePages(text),
  };
}

const paging = (text: TextOf) => ({ newer: text('?before=x'), older: text('?after=y') });
const noPaging = { newer: null, older: null };

function makeOverview(text: TextOf): Overview {
  const part = { builds: 2, bytes: 3_000_000 };
  const owner = { id: 'o', kind: 'project' as const, name: text('harbour'), apps: 1, ...part };
  return {
    version: text('1.2.3'),
    nodeVersion: text('v24.11.0'),
    startedAt: now - 3_600_000,
    database: { dialect: 'postgres', serverVersion: text('17.2'), schema: text('0010-administration') },
    publicUrl: text('https://apps.example.com'),
    canSendMail: true,
    counts: { people: 500, projects: 20, workspaces: 2 },
    work: { waiting: 3, late: 2, failing: 1, dead: 1001 },
    mail: { waiting: 1, dead: 1 },
    countedTo: 1000,
    doctor: {
      at: now - 60_000,
      checks: [
        {
          id: 'clock',
          title: text('Clock'),
          state: 'problem',
          found: text('It is late.'),
          advice: text('Set it.'),
        },
      ],
    },
    stored: {
      ...part,
      apps: 3,
      countedAt: now,
      byPlatform: { android: part, ios: part },
      owners: [owner, { ...owner, id: 'u', kind: 'user', name: text('mina') }],
      workspaces: new Map(),
    },
    place: { kind: 'disk', folder: text('/var/lib/slipway/blobs') },
    disk: { freeBytes: 1_000_000, totalBytes: 2_000_000 },
    minimumFreeBytes: 1_000_000,
  };
}

function overviews(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const overview = makeOverview(text);
  const quiet: Overview = {
    ...overview,
    nodeVersion: null,
    publicUrl: null,
    canSendMail: false,
    doctor: null,
    disk: null,
    work: { waiting: 0, late: 0, failing: 0, dead: 0 },
    mail: { waiting: 0, dead: 0 },
    stored: { ...overview.stored, owners: [] },
    place: {
      kind: 's3',
      bucket: text('builds'),
      prefix: text('apps/'),
      endpoint: text('https://s3.example.com'),
      publicEndpoint: null,
      region: text('us-east-1'),
      pathStyle: true,
      links: true,
      credentials: { accessKeyId: 'key-that-stays-secret', secretAccessKey: 'secret-that-stays-secret' },
    },
  };
  return {
    administration: renderOverviewPage({ frame, overview }),
    'administration at rest': renderOverviewPage({ frame, overview: quiet }),
  };
}

function makePerson(text: TextOf): Person {
  return {
    user: { kind: 'user', id: 'u', name: text('mina'), email: text('m@x'), administrator: true },
    madeAt: now,
    disabledAt: now,
    lastSeenAt: now,
    hasPassword: true,
    hasTotp: true,
    passkeys: 2,
  };
}

function peoplePages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const person = makePerson(text);
  const plain: Person = {
    user: { kind: 'user', id: 'v', name: text('jo'), email: null, administrator: false },
    madeAt: now,
    disabledAt: null,
    lastSeenAt: null,
    hasPassword: false,
    hasTotp: false,
    passkeys: 0,
  };
  const found = {
    query: text('mi'),
    only: 'disabled' as const,
    people: [person, plain],
    paging: paging(text),
  };
  const key = {
    id: text('k'),
    ownerId: 'u',
    name: text('CI'),
    hint: text('slw_abcd'),
    createdAt: now,
    expiresAt: now + 1,
    lastUsedAt: now,
    revokedAt: null,
    lastUsedNetwork: text('192.0.2.7'),
    scopes: ['upload' as const, 'read' as const],
    restriction: null,
    createdBy: { name: text('mia'), left: true },
    rotatedAt: now,
    client: null,
    previousUntil: now + 3600_000,
  };
  const page = {
    frame,
    person,
    isSelf: false,
    sessions: 2,
    canSendMail: true,
    keys: [key],
    projects: {
      query: '',
      paging: paging(text),
      items: [
        { project: createProject(text), lastUploadAt: now, teams: ['owner' as const, 'tester' as const] },
      ],
    },
    workspaces: [{ id: 'w', name: text('docks'), displayName: text('Docks'), iconUrl: text('/i.png') }],
    resetLink: text('https://apps.example.com/reset-password/x'),
    done: text('Done.'),
    refusal: text('No.'),
    proof: 'password-or-code' as const,
    proofFault: text('Not that.'),
  };
  const able = { ...person, disabledAt: null };
  const bare = {
    ...page,
    keys: [],
    projects: { query: '', items: [], paging: { newer: null, older: null } },
    workspaces: [],
    resetLink: null,
    done: null,
    refusal: null,
    proofFault: null,
  };
  return {
    'all people': renderPeoplePage({ frame, found }),
    'nobody found': renderPeoplePage({ frame, found: { ...found, people: [], paging: noPaging } }),
    person: renderPersonPage(page),
    'person whose account works': renderPersonPage({ ...page, person: able }),
    'person who is oneself': renderPersonPage({ ...bare, person: plain, isSelf: true, sessions: 0 }),
  };
}

function ownerPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const line = (kind: OwnerLine['kind'], quota: OwnerLine['quota']): OwnerLine => ({
    kind,
    name: text(kind),
    quota,
    apps: 1,
    builds: 2,
    bytes: 3_000_000,
  });
  const owners = [
    line('project', { maxStorageBytes: 4_000_000, maxBuilds: 5, maxProjects: null }),
    line('user', { maxStorageBytes: null, maxBuilds: null, maxProjects: null }),
    line('workspace', null),
  ];
  const found = { query: text('x'), list: 'projects' as const, owners, paging: paging(text), countedAt: now };
  const nothing = { ...found, owners: [], paging: noPaging };
  return {
    owners: renderOwnersPage({ frame, found }),
    'no owner found': renderOwnersPage({ frame, found: nothing }),
    'owners of nothing': renderOwnersPage({ frame, found: { ...nothing, query: '', list: 'largest' } }),
  };
}

function brandingPages(text: TextOf): Record<string, string> {
  const brand = {
    name: text('Quay'),
    accent: '#ffcc00',
    support: text('help@example.com'),
    logo: `${'0'.repeat(32)}-96x24.png`,
  };
  const frame = { ...makeFrame(text), brand };
  const wrong = [text('Wrong.')];
  const shared = {
    frame,
    address: '/administration/branding',
    done: null,
    logo: brand.logo,
    logoError: null,
  };
  return {
    branding: renderAdministrationBranding({ ...shared, ...showBrand(brand, true), done: text('Saved.') }),
    'branding with errors': renderAdministrationBranding({
      ...shared,
      ...showRejectedBrand(brand, { name: wrong, accent: wrong, support: wrong }),
      logoError: text('Wrong.'),
    }),
  };
}

function workPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const one = (
    id: string,
    job: AdministeredJob['job'],
    state: AdministeredJob['state'],
    lastError: string | null,
  ): AdministeredJob => ({
    id: text(id),
    job,
    state,
    lastError,
    attempts: 3,
    dueAt: now + 1,
    madeAt: now,
  });
  const work = [
    one('j1', { kind: 'draw-icon', buildId: 'b' }, 'dead', text('Error: no')),
    one('j2', { kind: 'remove-build', buildId: 'gone', deletedAt: 1 }, 'failing', null),
    one('j3', { kind: 'send-mail', mailId: text('m'), until: 1 }, 'running', null),
    one(
      'j4',
      { kind: 'send-letter', letter: { about: 'email-change', userId: 'u', email: text('m@x') }, until: 1 },
      'planned',
      null,
    ),
    one('j5', { kind: 'remove-app', appId: 'a' }, 'waiting', null),
  ];
  const counts = { dead: 1, failing: 1001, running: 1, waiting: 1, planned: 1 };
  const subjects = new Map([['b', { name: text('Tidewatch'), revision: 12 }]]);
  const page = { frame, state: 'dead' as const, counts, countedTo: 1000, work, subjects };
  const none = { dead: 0, failing: 0, running: 0, waiting: 0, planned: 0 };
  return {
    'background work': renderJobsPage({ ...page, paging: paging(text), done: text('Done.') }),
    'no background work': renderJobsPage({
      ...page,
      state: null,
      counts: none,
      work: [],
      paging: noPaging,
      done: null,
    }),
  };
}

function devicePages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const registration = (id: string, udid: string, name: string, page: boolean) => ({
    device: {
      id: text(id),
      ownerId: 'o',
      udid: text(udid),
      name,
      product: text('iPhone15,4'),
      osVersion: text('22B83'),
      userId: 'u',
      pageId: 'p',
      createdAt: now,
      updatedAt: now,
    },
    userName: null,
    page: page ? { name: text('main'), accessKey: text('c') } : null,
    owner: { kind: 'project' as const, name: text('harbour') },
  });
  const devices = groupByDevice([
    registration('d1', 'udid-1', text('Phone'), true),
    registration('d2', 'udid-1', text('Phone'), false),
    registration('d3', 'udid-2', '', true),
  ]);
  return {
    'own devices': renderOwnDevices({ frame, devices, more: true, done: text('Done.') }),
    'no own devices': renderOwnDevices({ frame, devices: [], more: false, done: null }),
  };
}
