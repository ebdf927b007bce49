/** The account pages, with all their fields filled through `text`. */
import { renderInvitationPage } from '../../src/accounts/invitations/invitation-page.tsx';
import { renderInvitationsPage } from '../../src/accounts/invitations/invitations-page.tsx';
import { renderKeysPage } from '../../src/accounts/keys/keys-page.tsx';
import { renderPasswordPage, renderWelcomePage } from '../../src/accounts/passwords/password-page.tsx';
import { renderForgotPage, renderResetPage } from '../../src/accounts/passwords/password-reset-page.tsx';
import { renderEmailChangePage, renderProfilePage } from '../../src/accounts/profile/profile-page.tsx';
import { renderSignUpPage } from '../../src/accounts/profile/sign-up-page.tsx';
import { renderSessionsPage } from '../../src/accounts/sessions/sessions-page.tsx';
import {
  renderConfirmIdentityPage,
  renderSingleSignOnFailure,
} from '../../src/accounts/single-sign-on/single-sign-on-page.tsx';
import { createProject, makeFrame, now, type TextOf } from './hostile.ts';

const day = 24 * 60 * 60_000;

export function accountPages(text: TextOf): Record<string, string> {
  return { ...ownPages(text), ...waysIn(text), ...singleSignOnPages(text), ...keyPages(text) };
}

function ownPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const fault = [text('No.')];
  const errors = { email: fault, password: fault, again: fault, current: fault };
  const done = text('Done.');
  const session = {
    id: text('s1'),
    userAgent: text('Firefox/1'),
    address: text('::1'),
    createdAt: now,
    lastSeenAt: now,
    endsAt: now + 14 * day,
  };
  const profile = {
    frame,
    name: text('mina'),
    email: text('m@x'),
    byEmail: true,
    hasPassword: true,
    passwords: true,
    language: 'ja' as const,
    singleSignOn: {
      frame,
      provider: text('Example'),
      canLink: true,
      unlinkBlockedReason: null,
      identities: [{ issuer: text('https://x'), subject: text('s'), label: text('m@x'), createdAt: now }],
    },
    errors,
    done,
  };
  const change = { token: text('token'), email: text('m@x') };
  const sessions = [
    { ...session, current: true },
    { ...session, id: text('s2'), current: false },
  ];
  const welcome = { frame, to: text('/users/mina'), email: text('m@x'), suggestsPublicUrl: true, errors };
  return {
    profile: renderProfilePage(profile),
    'profile of a server without passwords': renderProfilePage({ ...profile, passwords: false }),
    'new address': renderEmailChangePage({ frame, name: text('mina'), change }),
    'new address that is gone': renderEmailChangePage({ frame, name: text('mina'), change: null }),
    password: renderPasswordPage({ frame, hasPassword: true, errors, done }),
    'no password': renderPasswordPage({ frame, hasPassword: false, errors: {}, done: null }),
    welcome: renderWelcomePage(welcome),
    sessions: renderSessionsPage({ frame, sessions, done }),
  };
}

function waysIn(text: TextOf): Record<string, string> {
  const [frame, nobody] = [makeFrame(text), makeFrame(text, false)];
  const fault = [text('No.')];
  const errors = { name: fault, email: fault, password: fault, again: fault };
  const submitted = { name: text('mina'), email: text('m@x') };
  const form = { submitted, email: 'letter' as const, errors };
  const invitation = {
    id: text('i1'),
    email: text('guest@x'),
    invitedBy: text('olga'),
    createdAt: now,
    expiresAt: now + day,
    into: { kind: 'project' as const, id: 'p1', name: text('crew'), team: 'tester' as const },
    link: null,
  };
  const here = { ...invitation, email: null, into: null };
  const invited = { frame: nobody, token: text('token'), invitation, form, provider: text('Example') };
  const list = {
    frame,
    project: createProject(text),
    address: text('/organizations/x/invitations'),
    canSendMail: true,
    open: [invitation, { ...here, id: text('i2') }],
    submitted: { email: text('g@x'), team: 'owner' },
    errors: { email: fault, team: fault },
    link: text('https://x/invitation/t'),
    done: text('Done.'),
  };
  return {
    'sign up': renderSignUpPage({ frame: nobody, address: text('/sign-up'), ...form }),
    'forgotten password': renderForgotPage({ frame: nobody, state: 'ask' }),
    'letter on its way': renderForgotPage({ frame: nobody, state: 'sent' }),
    'no letters': renderForgotPage({ frame: nobody, state: 'no-mail' }),
    'new password': renderResetPage({
      frame: nobody,
      reset: { token: text('t'), userName: text('mina') },
      errors,
    }),
    'new password that is gone': renderResetPage({ frame: nobody, reset: null, errors: {} }),
    invitation: renderInvitationPage(invited),
    'invitation to an app': renderInvitationPage({
      ...invited,
      invitation: {
        ...here,
        into: { kind: 'app', id: 'a', name: text('com.x (ios)'), ownerId: 'u' },
        link: { groupId: null, maxPeople: 9 },
      },
    }),
    'invitation of a member': renderInvitationPage({ ...invited, frame }),
    'invitation to the server': renderInvitationPage({ ...invited, invitation: here }),
    'invitation without passwords': renderInvitationPage({ ...invited, form: null }),
    'invitation that is gone': renderInvitationPage({ ...invited, invitation: null }),
    invitations: renderInvitationsPage(list),
    'invitations to the server': renderInvitationsPage({
      ...list,
      project: null,
      open: [],
      link: null,
      canSendMail: false,
    }),
  };
}

function singleSignOnPages(text: TextOf): Record<string, string> {
  const provider = text('Example');
  const fault = { provider, passwords: true, purpose: 'sign in', to: text('/users/mina') } as const;
  const confirm = { frame: makeFrame(text), provider, label: text('m@x'), userName: text('mina') };
  return {
    'provider that cannot be reached': renderSingleSignOnFailure({
      ...fault,
      frame: makeFrame(text, false),
      failure: 'unreachable',
    }),
    'identity of somebody else': renderSingleSignOnFailure({
      ...fault,
      frame: makeFrame(text),
      failure: 'taken',
      purpose: 'link',
    }),
    'identity to link': renderConfirmIdentityPage(confirm),
  };
}

function keyPages(text: TextOf): Record<string, string> {
  const fault = [text('No.')];
  const key = {
    id: text('k1'),
    ownerId: 'o1',
    name: text('CI'),
    hint: text('slw_abcd'),
    createdAt: now,
    expiresAt: now + day,
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
  const ended = [
    { ...key, id: text('k2'), revokedAt: now },
    { ...key, id: text('k3'), expiresAt: now - day },
  ];
  const props = {
    frame: makeFrame(text),
    address: text('/settings/keys'),
    proof: 'password' as const,
    usable: [key],
    ended,
    moreEnded: true,
    submitted: {
      name: text('CI'),
      expires: 'date',
      until: text('soon'),
      scope: 'upload',
      restrict: text('crew/android/com.example.app'),
    },
    done: text('Done.'),
    errors: { name: fault, expires: fault, until: fault, scope: fault, restrict: fault },
    places: new Map([[text('k1'), [text('crew')]]]),
    review: true,
    made: { key: text('slw_key'), record: key, rotated: false },
  };
  const user = { kind: 'user', id: 'u1', name: text('mina'), email: null, administrator: false } as const;
  const project = createProject(text);
  return {
    'own keys': renderKeysPage({ ...props, owner: user }),
    'no keys': renderKeysPage({ ...props, owner: user, usable: [], ended: [], made: null }),
    'keys of a Project': renderKeysPage({ ...props, owner: { ...project, workspace: null } }),
    'keys of a Project in a Workspace': renderKeysPage({ ...props, owner: project }),
  };
}
