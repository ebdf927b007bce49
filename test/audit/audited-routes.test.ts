/** Every route that changes who may do what has an action in the audit log, or a reason why not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sentenceTexts } from '../../src/projects/audit/sentences/sentence-texts.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** Routes about identity. Operations of the rest of `/api/v1` are checked with their twins, by what they write. */
const aboutIdentity =
  /^\/(settings|sign-in|sign-out|sign-up|forgot-password|reset-password|welcome|invitation|device|oauth|cli|saml|scim)\b|^\/administration\/(people|invitations)|^\/enterprises\/:workspace\/(people|leave|provisioning|saml|ldap|policies)\b|^\/organizations\/:owner\/(people|invitations|invite-links|keys)|^\/api\/sessions|^\/api\/(enterprises|organizations)\/.*(users|members|shared_teams)|^\/users\/:owner\/ci\//;

const signIn = ['sign-in.accepted', 'sign-in.refused'];
const keys = { create: ['key.issued'], revoke: ['key.revoked'], rotate: ['key.rotated'] };
const team = ['team.joined', 'team.left'];
const invited = ['invitation.made', 'team.joined'];

/** Beginnings of `METHOD /path` with their actions; the longest one counts. A text is the reason why nothing is recorded. */
const audited: Readonly<Record<string, readonly string[] | string>> = {
  'POST /sign-in': signIn,
  'POST /sign-in/passkey/options': 'asks for a challenge',
  'POST /sign-in/sso/confirm/link': ['identity.linked', 'sign-in.accepted'],
  'POST /saml/acs': signIn,
  'POST /saml/confirm/link': ['identity.linked', 'sign-in.accepted'],
  'POST /enterprises/:workspace/saml/acs': signIn,
  'POST /enterprises/:workspace/saml/confirm/link': ['identity.linked', 'sign-in.accepted'],
  'POST /sign-out': ['sign-in.ended'],
  'POST /sign-up': ['user.made'],
  'POST /forgot-password': 'sends an email to the holder of the account; the server log has it',
  'POST /reset-password/:token': ['password.changed'],
  'POST /welcome': ['password.changed'],
  'POST /invitation/:token/create-account': ['user.made', 'team.joined'],
  'POST /invitation/:token/join': ['team.joined', 'access.given', 'workspace.owner-added'],
  'POST /settings/devices/remove': ['device.deleted'],
  'POST /settings/devices/rename': ['device.renamed'],
  'POST /settings/email/:token/confirm': ['email.changed'],
  'POST /settings/email/change': ['email.changed'],
  'POST /settings/invitations/:invitation/accept': ['team.joined'],
  'POST /settings/invitations/:invitation/decline': ['invitation.declined'],
  'POST /settings/keys/create': keys.create,
  'POST /settings/keys/:key/rotate': keys.rotate,
  'POST /settings/keys/:key/revoke': keys.revoke,
  'POST /settings/keys/:key/end-old-secret': ['key.old-secret-ended'],
  'POST /settings/keys/revoke-all': keys.revoke,
  'POST /settings/language/change': 'a preference',
  'POST /settings/mail/save': 'a preference',
  'POST /settings/password': ['password.changed'],
  'POST /settings/security/app/enable': ['second-factor.on'],
  'POST /settings/security/app/disable': ['second-factor.off'],
  'POST /settings/security/confirm': 'confirms the identity for another action',
  'POST /settings/security/passkeys/create': 'asks for a challenge',
  'POST /settings/security/passkeys/add': ['passkey.added'],
  'POST /settings/security/passkeys/:passkey/rename': ['passkey.renamed'],
  'POST /settings/security/passkeys/:passkey/remove': ['passkey.removed'],
  'POST /settings/security/recovery-codes/create': ['recovery-codes.made'],
  'POST /settings/sessions/': ['sessions.ended'],
  'POST /settings/single-sign-on/unlink': ['identity.unlinked'],
  'POST /device/approve': 'the key that follows is recorded',
  'POST /device/deny': 'nothing is granted',
  'POST /cli/login/approve': 'the key that follows is recorded',
  'POST /cli/notify': 'tells a terminal that an answer exists',
  'POST /oauth/device_authorization': 'a request without a person',
  'POST /oauth/token': keys.create,
  'POST /oauth/revoke': keys.revoke,
  'POST /api/sessions': [...signIn, ...keys.create],
  'POST /api/sessions/codes': 'a code that only a session can redeem',
  'DELETE /api/sessions/current_token': keys.revoke,
  'POST /scim/v2/:workspace/.search': 'reads',
  'POST /scim/v2/:workspace/Groups/.search': 'reads',
  'POST /scim/v2/:workspace/Users/.search': 'reads',
  'POST /scim/v2/:workspace/Bulk': 'is refused',
  'POST /scim/v2/:workspace/Users': ['user.made', 'directory.user-added'],
  'PUT /scim/v2/:workspace/Users/:id': ['directory.user-changed', 'directory.user-deactivated'],
  'PATCH /scim/v2/:workspace/Users/:id': ['directory.user-changed', 'directory.user-deactivated'],
  'DELETE /scim/v2/:workspace/Users/:id': ['directory.user-removed'],
  'POST /scim/v2/:workspace/Groups': ['directory.group-added'],
  'PUT /scim/v2/:workspace/Groups/:id': ['directory.group-changed'],
  'PATCH /scim/v2/:workspace/Groups/:id': ['directory.group-changed'],
  'DELETE /scim/v2/:workspace/Groups/:id': ['directory.group-removed'],
  'POST /administration/invitations/create': ['invitation.made'],
  'POST /administration/invitations/:invitation/revoke': ['invitation.revoked'],
  'POST /administration/people/:person/administrator/grant': ['administrator.made'],
  'POST /administration/people/:person/administrator/remove': ['administrator.unmade'],
  'POST /administration/people/:person/disable': ['account.disabled'],
  'POST /administration/people/:person/enable': ['account.enabled'],
  'POST /administration/people/:person/factors/reset': ['second-factor.reset'],
  'POST /administration/people/:person/keys/:key/revoke': keys.revoke,
  'POST /administration/people/:person/reset-link/create': ['password.link-made'],
  'POST /administration/people/:person/reset-link/send': ['password.email-sent'],
  'POST /administration/people/:person/sessions/end': ['sessions.ended'],
  'POST /enterprises/:workspace/leave': ['workspace.member-removed', 'workspace.owner-removed'],
  'POST /enterprises/:workspace/people/add': [
    'workspace.owner-added',
    'workspace.member-added',
    'invitation.made',
  ],
  'POST /enterprises/:workspace/people/:person/save': ['workspace.owner-added', 'workspace.member-added'],
  'POST /enterprises/:workspace/people/:person/remove': [
    'workspace.owner-removed',
    'workspace.member-removed',
  ],
  'POST /enterprises/:workspace/people/invitations/': ['invitation.revoked'],
  'POST /enterprises/:workspace/policies/save': ['workspace.policies-changed'],
  'POST /enterprises/:workspace/provisioning/groups/assign': ['directory.claimed-group-assigned'],
  'POST /enterprises/:workspace/provisioning/groups/:claimed/remove': ['directory.claimed-group-removed'],
  'POST /enterprises/:workspace/provisioning/domains/assign': ['directory.domain-assigned'],
  'POST /enterprises/:workspace/provisioning/domains/:domain/remove': ['directory.domain-removed'],
  'POST /enterprises/:workspace/provisioning/mappings/add': ['directory.mapping-added'],
  'POST /enterprises/:workspace/provisioning/mappings/:mapping/remove': ['directory.mapping-removed'],
  'POST /enterprises/:workspace/provisioning/tokens/create': ['directory.token-created'],
  'POST /enterprises/:workspace/provisioning/tokens/:token/revoke': ['directory.token-revoked'],
  'POST /organizations/:owner/people/add': invited,
  'POST /organizations/:owner/people/leave': ['team.left'],
  'POST /organizations/:owner/people/invitations/': ['invitation.revoked'],
  'POST /organizations/:owner/people/:person/': team,
  'POST /organizations/:owner/invitations/create': ['invitation.made'],
  'POST /organizations/:owner/invitations/:invitation/revoke': ['invitation.revoked'],
  'POST /organizations/:owner/invite-links/create': ['invite-link.created'],
  'POST /organizations/:owner/invite-links/:invitation/revoke': ['invite-link.revoked'],
  'POST /organizations/:owner/keys/create': keys.create,
  'POST /organizations/:owner/keys/:key/rotate': keys.rotate,
  'POST /organizations/:owner/keys/:key/revoke': keys.revoke,
  'POST /organizations/:owner/keys/:key/end-old-secret': ['key.old-secret-ended'],
  'POST /users/:owner/ci/create-key': keys.create,
  'POST /users/:owner/ci/trust-repository': ['trusted-publisher.created'],
  'POST /api/enterprises/:workspace/': [...team, 'workspace.owner-added'],
  'DELETE /api/enterprises/:workspace/': [...team, 'workspace.owner-removed'],
  'POST /api/enterprises/:workspace/shared_teams': 'is not supported',
  'POST /api/organizations/:owner/': team,
  'DELETE /api/organizations/:owner/': team,
};

let slipway: TestService;
beforeAll(async () => {
  slipway = await startTestService();
});
afterAll(() => slipway.close());

it('records every change of identity, or says why not', () => {
  const routes = slipway.service.declared
    .filter(({ method, path }) => method !== 'GET' && aboutIdentity.test(path))
    .map(({ method, path }) => `${method} ${path}`);
  const beginnings = Object.keys(audited).sort((one, other) => other.length - one.length);
  const rowOf = (route: string) =>
    beginnings.find((one) => route === one || (one.endsWith('/') && route.startsWith(one))) ??
    beginnings.find((one) => route.startsWith(`${one}/`));
  expect(routes.filter((route) => rowOf(route) === undefined)).toEqual([]);
  const used = new Set(routes.map(rowOf));
  expect(beginnings.filter((one) => !used.has(one))).toEqual([]);
});

it('names only actions that code writes and pages describe', () => {
  const root = new URL('../../src/', import.meta.url).pathname;
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/messages\.\w+\.ts$/.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  const actions = [...new Set(Object.values(audited).flatMap((row) => (typeof row === 'string' ? [] : row)))];
  expect(actions.filter((action) => !sources.includes(`'${action}'`))).toEqual([]);
  expect(actions.filter((action) => !(action in sentenceTexts))).toEqual([]);
});
