/** The pages of Projects, Workspaces and the audit log, with all their fields filled through `text`. */
import type { InviteLink } from '../../src/accounts/invitations/invitation.ts';
import { InviteLinkDetails, InviteLinkList } from '../../src/accounts/invitations/invite-link-pages.tsx';
import type { AddedPerson } from '../../src/accounts/invitations/people-list.ts';
import { showBrand } from '../../src/branding/branding-form-http.ts';
import type { Owner } from '../../src/owners/owner.ts';
import { renderOwnerArea } from '../../src/owners/owner-area.tsx';
import type { OwnerPermissions } from '../../src/owners/owner-permissions.ts';
import { createSigningKey } from '../../src/packages/apk/signing/signing-key.ts';
import { renderAuditPage } from '../../src/projects/audit/audit-page.tsx';
import {
  renderOwnerDeletion,
  renderWorkspaceDeletion,
} from '../../src/projects/deletion/owner-deletion-page.tsx';
import { renderAddedToGroup, renderGroup, renderGroups } from '../../src/projects/groups/group-pages.tsx';
import { renderProjectList, renderWorkspaceList } from '../../src/projects/lists/project-list-page.tsx';
import { renderAddedMembers, renderProjectPeople } from '../../src/projects/people/project-people-page.tsx';
import { renderRemoval } from '../../src/projects/people/removal-page.tsx';
import { renderNewProject, renderNewWorkspace } from '../../src/projects/settings/new-owner-page.tsx';
import { renderOwnerSettings } from '../../src/projects/settings/owner-settings-page.tsx';
import { renderWorkspaceBranding } from '../../src/projects/workspaces/workspace-branding-page.tsx';
import { renderWorkspaceSettings } from '../../src/projects/workspaces/workspace-settings-page.tsx';
import { renderSigningKeys } from '../../src/uploads/signing-keys/signing-key-page.tsx';
import { createProject, makeFrame, now, type TextOf } from './hostile.ts';

export const every: OwnerPermissions = {
  views: true,
  uploads: true,
  manages: true,
  administers: true,
  administrator: true,
};
export const none: OwnerPermissions = {
  views: true,
  uploads: false,
  manages: false,
  administers: false,
  administrator: false,
};

export const addedPeople = (text: TextOf): AddedPerson[] => [
  { text: text('ann@example.com'), outcome: 'invited' },
  { text: text('bob'), outcome: 'unknown' },
  { text: text('cid'), outcome: 'already' },
  { text: text('dan'), outcome: 'refused', message: text('Too many.') },
];

function inviteLinkPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const owner = createProject(text);
  const area = { frame, owner, permissions: every, part: 'invitations', title: text('Links') } as const;
  const link: InviteLink = {
    id: 'l1',
    name: text('Everyone'),
    into: { kind: 'project', id: owner.id, name: owner.name, team: 'tester' },
    group: { id: 'g1', name: text('QA') },
    people: 3,
    maxPeople: 50,
    invitedBy: text('mina'),
    isActive: true,
    expiresAt: now + 1,
  };
  const spent = { ...link, id: 'l2', group: null, invitedBy: null, isActive: false };
  const list = {
    frame,
    address: text('/links'),
    isProject: true,
    links: [link, spent],
    groups: [{ id: 'g1', name: text('QA'), people: 3 }],
    submitted: { name: text('x'), team: 'tester', group: 'g1', days: '7', people: text('50') },
    errors: { name: [text('No.')], group: [text('No group.')] },
    refused: text('Full.'),
  };
  const details = { frame, link, address: text('https://x/invitation/t'), revokePath: text('/revoke') };
  return {
    'invite links': renderOwnerArea({ ...area, children: InviteLinkList(list) }),
    'no invite links': renderOwnerArea({
      ...area,
      children: InviteLinkList({ ...list, links: [], groups: [], errors: {}, refused: null }),
    }),
    'invite link': renderOwnerArea({ ...area, children: InviteLinkDetails(details) }),
    'invite link that cannot be shown': renderOwnerArea({
      ...area,
      children: InviteLinkDetails({ ...details, link: spent, address: null }),
    }),
  };
}

export function projectPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const project = createProject(text);
  const workspace = { id: 'w', name: text('harbour'), displayName: text('Harbour'), iconUrl: text('/i.png') };
  const user: Owner = { kind: 'user', id: 'u', name: text('mina'), email: null, administrator: true };
  const members = [
    { user: { id: 'u', name: text('mina') }, teams: ['owner' as const] },
    { user: { id: 'v', name: text('jo') }, teams: ['developer' as const, 'tester' as const] },
  ];
  const pending = [
    {
      id: 'i1',
      user: { id: 'u9', name: text('nina') },
      invitedBy: text('mina'),
      expiresAt: now + 1,
      place: { kind: 'project' as const, id: 'p', name: text('tide'), team: 'tester' as const },
    },
  ];
  const people = {
    pending,
    count: 62,
    query: text('mi'),
    isMember: true,
    paging: { newer: text('?page=1'), older: text('?page=3') },
    frame,
    project,
    permissions: every,
    viewerId: 'u',
    members,
    done: text('Done.'),
    submitted: { login: text('jo'), team: 'tester' as const },
    errors: { login: [text('There is nobody.')] },
    refused: text('That does not work.'),
  };
  const contents = { apps: 1, builds: 2, bytes: 3, pages: 4, devices: 5, keys: 6, memberships: 7 };
  const deletion = {
    frame,
    owner: project,
    contents,
    deletionBlocker: null,
    submitted: text('x'),
    errors: [text('Not the name.')],
  };
  const settings = {
    frame,
    owner: project,
    permissions: every,
    viewerId: 'u',
    usage: { bytes: 12_345_678, builds: 12, apps: 3 },
    quota: { maxStorageBytes: 50 * 1024 ** 3, maxBuilds: 10, maxProjects: null },
    projects: 3,
    accountable: { name: text('mina') },
    retention: { newest: 20, days: 30 },
    done: text('Saved.'),
    refused: {
      description: text('About it'),
      storage: text('much'),
      builds: text('many'),
      errors: { description: [text('Too long.')], storage: [text('No size.')], builds: [text('No number.')] },
    },
  };
  const errors = {
    name: [text('Taken.')],
    description: [text('Too long.')],
    display_name: [text('Too long.')],
    icon_url: [text('No address.')],
  };
  const row = {
    id: '0'.repeat(26),
    at: now,
    actorName: text('mina'),
    action: 'build.uploaded',
    subject: text('com.example.tidewatch (android) revision 128'),
    details: { page: text('main'), [text('deep')]: [text('x')] },
  };
  const audit = {
    frame,
    of: { owner: project, permissions: every },
    address: text('/organizations/x/audit'),
    asked: { action: 'build.uploaded', actor: text('mina'), from: text('2026-11-21'), to: text('soon') },
    invalidDays: ['to' as const],
    rows: [row, { ...row, id: '1'.repeat(26), action: text('some.thing'), details: {} }],
    paging: { newer: text('?above=x'), older: text('?below=x') },
  };
  const noFilter = { action: '', actor: '', from: '', to: '' };
  const look = { display_name: text('Harbour'), icon_url: text('/i.png') };
  const owned = {
    frame,
    workspace,
    pending,
    owners: [{ id: 'u', name: text('mina') }],
    retention: { newest: 20, days: null },
  };
  const found = {
    query: text('tide'),
    paging: { newer: text('?before=b'), older: text('?after=a') },
    items: [
      { project: { ...project, workspace }, lastUploadAt: now, teams: ['owner' as const, 'tester' as const] },
      { project: { ...project, id: 'p2' }, lastUploadAt: null, teams: [] },
    ],
  };
  const { query, paging } = found;
  const empty = { query: '', items: [], paging: { newer: null, older: null } };
  const signingKey = (number: number) => ({
    ...{ id: `k${number}`, ownerId: 'p1', number, continues: number > 1, createdAt: now },
    ...{ origin: number > 1 ? ('imported' as const) : ('created' as const), encryptedKey: '1.a' },
    certificate: createSigningKey('ec', { name: [['2.5.4.3', text('Harbour')]] }).certificate,
  });
  const signingKeys = {
    ...{ frame: settings.frame, owner: settings.owner, permissions: settings.permissions, done: null },
    keys: [signingKey(1), signingKey(2)],
    passwordErrors: [text('The password is too short.')],
  };
  return {
    'all Projects': renderProjectList({ frame, found }),
    'Projects without matches': renderProjectList({ frame, found: { query, paging, items: [] } }),
    'no Projects': renderProjectList({ frame, found: empty }),
    'all Workspaces': renderWorkspaceList({
      frame,
      found: { ...found, items: [workspace] },
      canCreate: true,
    }),
    'Workspaces without matches': renderWorkspaceList({
      frame,
      found: { query, paging, items: [] },
      canCreate: false,
    }),
    'no Workspaces': renderWorkspaceList({ frame, found: empty, canCreate: false }),
    'new Project in one of many Workspaces': renderNewProject({
      frame,
      errors: {},
      submitted: { name: '', description: '', workspace: text('harbour') },
      workspaces: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ ...workspace, id })),
    }),
    'new Project': renderNewProject({
      frame,
      workspaces: [workspace],
      submitted: { name: text('a b'), description: text('About it'), workspace: text('harbour') },
      errors,
    }),
    'new Workspace': renderNewWorkspace({ frame, submitted: { ...look, name: text('a b') }, errors }),
    'people of a team': renderProjectPeople(people),
    ...inviteLinkPages(text),
    groups: renderGroups({
      frame,
      owner: project,
      permissions: every,
      groups: [
        { id: 'g1', name: text('QA'), people: 3 },
        { id: 'g2', name: text('Client'), people: 1 },
      ],
      submitted: { name: text('Beta') },
      errors: { name: [text('No.')] },
      done: null,
      refused: text('Full.'),
    }),
    'no groups': renderGroups({
      frame,
      owner: project,
      permissions: every,
      groups: [],
      submitted: { name: '' },
      errors: {},
      done: text('Done.'),
      refused: null,
    }),
    group: renderGroup({
      frame,
      owner: project,
      permissions: every,
      group: { id: 'g1', name: text('QA'), people: 2 },
      people: [
        { id: 'u1', name: text('jo') },
        { id: 'u2', name: text('ann') },
      ],
      pages: [{ name: text('main'), accessKey: 'c'.repeat(40) }],
      submitted: { login: text('jo'), name: text('QA') },
      errors: { login: [text('No.')], name: [text('No.')] },
      done: text('Done.'),
      refused: null,
    }),
    'empty group': renderGroup({
      frame,
      owner: project,
      permissions: every,
      group: { id: 'g1', name: text('QA'), people: 0 },
      people: [],
      pages: [],
      submitted: { login: '', name: text('QA') },
      errors: {},
      done: null,
      refused: text('Full.'),
    }),
    'added to a group': renderAddedToGroup({
      frame,
      owner: project,
      permissions: every,
      group: { id: 'g1', name: text('QA'), people: 2 },
      people: addedPeople(text),
    }),
    'added members': renderAddedMembers({
      frame,
      project,
      permissions: every,
      people: addedPeople(text),
    }),
    'removal of a person': renderRemoval({
      frame,
      project,
      permissions: every,
      user: { id: 'u1', name: text('jo') },
      places: {
        projects: [{ id: 'p1', name: text('crew'), teams: ['owner', 'tester'], isLastOwner: true }],
        workspaces: [{ id: 'w1', name: text('harbour'), isLastOwner: false }],
        apps: [{ id: 'a1', name: text('com.example (ios)'), owner: { id: 'u2', name: text('olga') } }],
        invitations: [
          {
            id: 'i1',
            user: { id: 'u1', name: text('jo') },
            place: { kind: 'project', id: 'p2', name: text('dock'), team: 'tester' },
            invitedBy: text('olga'),
            expiresAt: now,
          },
        ],
      },
      refused: text('No.'),
    }),
    'people for a tester': renderProjectPeople({
      ...people,
      permissions: none,
      viewerId: 'v',
      refused: null,
    }),
    'Project settings': renderOwnerSettings(settings),
    'signing keys': renderSigningKeys(signingKeys),
    'no signing keys': renderSigningKeys({
      ...signingKeys,
      keys: [],
      importError: text('The keystore is damaged.'),
    }),
    'user settings': renderOwnerSettings({
      ...settings,
      owner: user,
      quota: { maxStorageBytes: null, maxBuilds: null, maxProjects: null },
      refused: null,
    }),
    'Project deletion': renderOwnerDeletion(deletion),
    'user deletion': renderOwnerDeletion({ ...deletion, owner: user, errors: undefined }),
    'deletion that cannot be': renderOwnerDeletion({
      ...deletion,
      owner: user,
      errors: undefined,
      deletionBlocker: { lastAdministrator: true, projects: [text('crew')], workspaces: [text('harbour')] },
    }),
    'Workspace settings': renderWorkspaceSettings({
      ...owned,
      projects: 0,
      done: text('Saved.'),
      refused: { look, errors, login: text('jo'), loginErrors: [text('Nobody.')], sentence: text('No.') },
    }),
    'Workspace settings with Projects': renderWorkspaceSettings({
      ...owned,
      owners: [],
      projects: 2,
      done: null,
      refused: null,
    }),
    'Workspace branding': renderWorkspaceBranding({
      frame,
      workspace,
      address: '/enterprises/docks/branding',
      done: text('Saved.'),
      logo: null,
      logoError: null,
      ...showBrand({ name: text('Docks'), accent: '#0044aa', support: null }),
    }),
    'Workspace deletion': renderWorkspaceDeletion({
      frame,
      workspace,
      projects: 0,
      submitted: text('x'),
      errors: [text('Not the name.')],
    }),
    'audit log': renderAuditPage(audit),
    'audit log of everything': renderAuditPage({ ...audit, of: null, asked: noFilter, invalidDays: [] }),
    'empty audit log': renderAuditPage({ ...audit, asked: noFilter, invalidDays: [], rows: [] }),
    'audit log without matches': renderAuditPage({ ...audit, rows: [] }),
  };
}
