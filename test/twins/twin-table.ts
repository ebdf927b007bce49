/**
 * Every change of `/api/v1` with its twins: forms, calls of DeployGate's API and commands. What changes something in one place only is
 * listed with the reason.
 */

export interface Twins {
  /** `APP`, `OWNER` and `WORKSPACE` stand for paths; `OWNER` for those of Projects and of users. */
  forms: readonly string[];
  deploygate: readonly string[];
  commands: readonly string[];
}

const twins = (...[forms = [], deploygate = [], commands = []]: (readonly string[])[]): Twins => ({
  forms,
  deploygate,
  commands,
});

const webhookForms = (place: string) => ({
  create: twins([`${place}/hooks/create`], [], ['webhook add']),
  update: twins(['save', 'pause', 'resume'].map((action) => `${place}/hooks/:webhook/${action}`)),
  delete: twins([`${place}/hooks/:webhook/delete`], [], ['webhook remove']),
  rotate: twins([`${place}/hooks/:webhook/rotate-secret`]),
  test: twins([`${place}/hooks/:webhook/test`], [], ['webhook test']),
  redeliver: twins([`${place}/hooks/:webhook/deliveries/:delivery/retry`]),
});
const ofOwner = webhookForms('OWNER');
const ofApp = webhookForms('APP');
const brand = (place: string) => twins([`${place}/branding/save`]);
const ownerTeams = ['/api/organizations/:owner/members', '/api/organizations/:owner/teams/:team/users'];
const workspaceTesters = '/api/enterprises/:workspace/organizations/:owner/users';
const revision = '/api/users/:owner/platforms/:platform/apps/:package/binaries/:revision';
const members = '/api/users/:owner/platforms/:platform/apps/:package/members';
const pages = '/api/users/:owner/platforms/:platform/apps/:package/distributions';
const uploads = ['/api/users/:owner/apps', '/api/users/:owner/platforms/:platform/apps'];
const page = '/distributions/:accessKey/settings';
const people = '/organizations/:owner/people';
const trusted = 'OWNER/settings/trusted-publishing';

const owners = ['/organizations/:owner', '/users/:owner'];

/** The keys, `METHOD /path`, of the routes in a row. */
export const keysOf = ({ forms, deploygate }: Twins): string[] => [
  ...forms
    .flatMap((path) =>
      path.startsWith('OWNER') ? owners.map((owner) => path.replace('OWNER', owner)) : [path],
    )
    .map((path) => path.replace('APP', '/users/:owner/platforms/:platform/apps/:package'))
    .map((path) => `POST ${path.replace('WORKSPACE', '/enterprises/:workspace')}`),
  ...deploygate,
];

/** By `operationId`. */
export const twinsOf: Readonly<Record<string, Twins>> = {
  createKey: twins(
    ['/organizations/:owner/keys/create', '/settings/keys/create', '/users/:owner/ci/create-key'],
    [],
    ['key add'],
  ),
  rotateKey: twins(
    ['/organizations/:owner/keys/:key/rotate', '/settings/keys/:key/rotate'],
    [],
    ['key rotate'],
  ),
  revokeKey: twins(
    [
      '/organizations/:owner/keys/:key/revoke',
      '/settings/keys/:key/revoke',
      '/administration/people/:person/keys/:key/revoke',
    ],
    [],
    ['key revoke'],
  ),
  endOldSecret: twins(
    ['/organizations/:owner/keys/:key/end-old-secret', '/settings/keys/:key/end-old-secret'],
    [],
    ['key end-old-secret'],
  ),

  createTrustedPublisher: twins([`${trusted}/create`]),
  updateTrustedPublisher: twins([`${trusted}/:publisher/save`]),
  deleteTrustedPublisher: twins([`${trusted}/:publisher/delete`]),
  resetTrustedPublisherPins: twins([`${trusted}/:publisher/reset-pins`]),
  updateOwner: twins([`${trusted}/require`]),
  updateApp: twins(['APP/require-trusted']),

  createWebhook: ofOwner.create,
  updateWebhook: ofOwner.update,
  deleteWebhook: ofOwner.delete,
  rotateWebhookSecret: ofOwner.rotate,
  testWebhook: ofOwner.test,
  redeliverWebhook: ofOwner.redeliver,
  createAppWebhook: ofApp.create,
  updateAppWebhook: ofApp.update,
  deleteAppWebhook: ofApp.delete,
  rotateAppWebhookSecret: ofApp.rotate,
  testAppWebhook: ofApp.test,
  redeliverAppWebhook: ofApp.redeliver,

  createPage: twins(['APP/pages/create'], [`POST ${pages}`]),
  updatePage: twins(
    [`${page}/save`, `${page}/access/save`, `${page}/appearance/save`],
    ['PUT /api/distributions/:accessKey'],
    ['page change'],
  ),
  deletePage: twins(
    [`${page}/delete`],
    ['DELETE /api/distributions/:accessKey', `DELETE ${pages}`],
    ['page delete'],
  ),
  publishBuild: twins(
    ['APP/binaries/:revision/publish'],
    ['POST /api/distributions/:accessKey/packages'],
    ['publish'],
  ),
  publishByName: twins(),
  rollBackPage: twins([`${page}/roll-back`], [], ['rollback']),
  rotatePageLink: twins([`${page}/rotate-link`]),
  withdrawPageBuild: twins([`${page}/withdraw`]),
  restorePageBuild: twins([`${page}/restore`]),

  setRetention: twins(['OWNER/retention/save']),
  deleteRetention: twins(['OWNER/retention/save']),
  setAppRetention: twins(['APP/retention/save']),
  deleteAppRetention: twins(['APP/retention/save']),
  setWorkspaceRetention: twins(['WORKSPACE/retention/save']),
  deleteWorkspaceRetention: twins(['WORKSPACE/retention/save']),
  updateWorkspacePolicies: twins(['WORKSPACE/policies/save']),

  createGroup: twins(['OWNER/groups/create']),
  renameGroup: twins(['OWNER/groups/:group/rename']),
  deleteGroup: twins(['OWNER/groups/:group/delete']),
  addGroupPeople: twins(['OWNER/groups/:group/add']),
  removeGroupPerson: twins(['OWNER/groups/:group/remove']),
  addGroupManager: twins(['OWNER/groups/:group/managers/add']),
  removeGroupManager: twins(['OWNER/groups/:group/managers/remove']),

  createInvitation: twins(['/organizations/:owner/invitations/create']),
  revokeInvitation: twins([
    '/organizations/:owner/invitations/:invitation/revoke',
    `${people}/invitations/:invitation/cancel`,
  ]),
  createAccountInvitation: twins(['/administration/invitations/create']),
  revokeAccountInvitation: twins(['/administration/invitations/:invitation/revoke']),
  createProjectInviteLink: twins(['/organizations/:owner/invite-links/create']),
  revokeProjectInviteLink: twins(['/organizations/:owner/invite-links/:invitation/revoke']),
  createAppInviteLink: twins(['APP/people/invite-links/create']),
  revokeAppInviteLink: twins(['APP/people/invite-links/:invitation/revoke']),
  revokeAppInvitation: twins(['APP/people/invitations/:invitation/cancel']),
  addPeople: twins(
    [`${people}/add`],
    [...ownerTeams, workspaceTesters].map((path) => `POST ${path}`),
    ['team add'],
  ),
  updatePerson: twins([`${people}/:person/save`]),
  removePerson: twins(
    [`${people}/:person/remove`],
    [...ownerTeams, workspaceTesters].map((path) => `DELETE ${path}/:user`),
    ['team remove'],
  ),
  removePersonEverywhere: twins([`${people}/:person/remove-everywhere`]),
  leaveProject: twins([`${people}/leave`]),
  addTesters: twins(['APP/people/add'], [`POST ${members}`], ['tester add']),
  removeTester: twins(['APP/people/remove'], [`DELETE ${members}`], ['tester remove']),

  createProject: twins(
    ['/projects/new'],
    ['POST /api/organizations', 'POST /api/enterprises/:workspace/organizations'],
    ['project add'],
  ),
  updateProject: twins(['/organizations/:owner/settings/save'], ['PATCH /api/organizations/:owner']),
  setQuota: twins(['OWNER/quota/save'], [], ['quota set']),
  createWorkspace: twins(['/workspaces/new'], [], ['workspace add']),
  updateWorkspace: twins(['WORKSPACE/settings/save', 'WORKSPACE/icon', 'WORKSPACE/icon/remove']),
  addWorkspaceOwners: twins(['WORKSPACE/people/add']),
  addWorkspacePeople: twins(['WORKSPACE/people/add']),
  updateWorkspacePerson: twins(['WORKSPACE/people/:person/save']),
  leaveWorkspace: twins(['WORKSPACE/leave']),
  createScimToken: twins(['WORKSPACE/provisioning/tokens/create']),
  revokeScimToken: twins(['WORKSPACE/provisioning/tokens/:token/revoke']),
  revokeWorkspaceAccess: twins(['WORKSPACE/access/:person/revoke']),
  assignWorkspaceDomain: twins(['WORKSPACE/provisioning/domains/assign']),
  removeWorkspaceDomain: twins(['WORKSPACE/provisioning/domains/:domain/remove']),
  assignDirectoryGroup: twins(['WORKSPACE/provisioning/groups/assign']),
  removeDirectoryGroup: twins(['WORKSPACE/provisioning/groups/:claimed/remove']),
  addGroupRule: twins(['WORKSPACE/provisioning/mappings/add']),
  removeGroupRule: twins(['WORKSPACE/provisioning/mappings/:mapping/remove']),
  setIdentityProvider: twins(['WORKSPACE/single-sign-on/save']),
  removeIdentityProvider: twins(['WORKSPACE/single-sign-on/remove']),
  requireIdentityProvider: twins(
    ['turn-on', 'turn-off'].map((action) => `WORKSPACE/single-sign-on/requirement/${action}`),
  ),
  removeWorkspaceOwner: twins(['WORKSPACE/people/:person/remove']),
  removeWorkspacePerson: twins(['WORKSPACE/people/:person/remove']),
  revokeWorkspaceInvitation: twins(['WORKSPACE/people/invitations/:invitation/cancel']),
  updateBranding: brand('/administration'),
  updateWorkspaceBranding: brand('WORKSPACE'),

  uploadBuild: twins(
    ['OWNER/upload', 'APP/upload'],
    uploads.map((path) => `POST ${path}`),
    ['upload'],
  ),
  // Sends the same fields in several requests.
  createUpload: twins(),
  continueUpload: twins(),
  terminateUpload: twins(),
  updateBuild: twins(
    ['message', 'protect', 'unprotect'].map((action) => `APP/binaries/:revision/${action}`),
    [`PATCH ${revision}`, `POST ${revision}/protect`, `DELETE ${revision}/protect`],
  ),
  deleteBuild: twins(['APP/binaries/:revision/delete'], [`DELETE ${revision}`]),
  deleteBuilds: twins(['APP/binaries/delete'], [], ['build delete']),
  restoreBuilds: twins(['APP/binaries/restore'], [], ['build restore']),
  labelBuilds: twins(['APP/binaries/label']),
  protectBuilds: twins(['APP/binaries/protect'], [], ['build protect']),
  updateCheckSettings: twins(['APP/settings/checks/save']),
  acceptCheck: twins(['APP/binaries/:revision/checks/:check/accept']),
  revokeAcceptance: twins(['APP/binaries/:revision/checks/:check/revoke']),
  deleteApp: twins(['APP/delete'], [], ['app delete']),
  updateAppSigningKey: twins([
    'APP/developer-verification/:number/register',
    'APP/developer-verification/:number/unregister',
  ]),
  createSigningKeyProof: twins(['APP/developer-verification/proof']),
  attachAttestation: twins(['APP/binaries/:revision/provenance/attach']),
  uploadSymbolFile: twins(['APP/binaries/:revision/symbols/upload']),
  deleteSymbolFile: twins(['APP/binaries/:revision/symbols/:symbols/delete']),
  rotateAppSecret: twins(['APP/secret/rotate'], [], ['app rotate-secret']),

  renameDevice: twins(['OWNER/devices/:device/rename', '/settings/devices/rename']),
  deleteDevice: twins(['OWNER/devices/:device/delete', '/settings/devices/remove'], [], ['device remove']),
  updateFeedback: twins(['APP/feedback/:feedback/status']),
  deleteFeedback: twins(['APP/feedback/:feedback/delete']),
  replyToFeedback: twins(['APP/feedback/:feedback/reply']),

  updateAccount: twins(['disable', 'enable'].map((action) => `/administration/people/:person/${action}`)),
  retryJob: twins(['/administration/background-work/:job/retry']),
  deleteJob: twins(['/administration/background-work/:job/delete']),
  createStoreRule: twins(['/store-rules/add']),
  updateStoreRule: twins(['/store-rules/:rule/save']),
  deleteStoreRule: twins(['/store-rules/:rule/delete']),
  runDoctor: twins(['/administration/doctor/run'], [], ['doctor']),
};

/**
 * Whether the route is for other people than the operation: for what belongs to the caller, or for those above the owner, such as
 * administrators.
 */
export const admitsOthers = (key: string) =>
  /^POST \/settings\/|\/ci\/create-key$|^POST \/administration\/people\/|^\w+ \/api\/enterprises\//.test(key);

/** Beginnings of the paths of forms and calls that have no operation of `/api/v1`. */
export const withoutOperation: Readonly<Record<string, readonly string[]>> = {
  'signs in or out, or proves who someone is': [
    '/saml/',
    '/enterprises/:workspace/saml/',
    '/sign-in',
    '/sign-out',
    '/sign-up',
    '/welcome',
    '/forgot-password',
    '/reset-password/',
    '/invitation/',
    '/device/',
    '/oauth/',
    '/cli/',
    '/api/sessions',
    'DELETE /api/sessions',
  ],
  'sends the file of the upload form in several requests, with the session of a person': [
    '/users/:owner/upload/resumable',
    '/organizations/:owner/upload/resumable',
    '/users/:owner/platforms/:platform/apps/:package/upload/resumable',
  ],
  'belongs to a person, not to a program': [
    '/settings/email/',
    '/settings/invitations/',
    '/settings/keys/revoke-all',
    '/settings/language/',
    '/settings/mail/',
    '/settings/password',
    '/settings/security/',
    '/settings/sessions/',
    '/settings/single-sign-on/',
    '/administration/mail/send-test',
    '/administration/people/:person/administrator/',
    '/administration/people/:person/factors/',
    '/administration/people/:person/reset-link/',
    '/administration/people/:person/sessions/',
  ],
  'needs the confirmation of a person': [
    '/organizations/:owner/delete',
    'DELETE /api/organizations/:owner',
    '/users/:owner/delete',
    '/enterprises/:workspace/delete',
    '/organizations/:owner/settings/signing-keys/',
    '/users/:owner/settings/signing-keys/',
  ],
  'is what testers do': [
    '/distributions/:accessKey/passcode',
    '/distributions/:accessKey/device',
    '/distributions/:accessKey/feedback',
    '/unsubscribe/',
  ],
  'changes a file': ['/administration/branding/logo', '/enterprises/:workspace/branding/logo'],
  'changes nothing': [
    '/administration/branding/preview',
    '/enterprises/:workspace/branding/preview',
    '/doctor/probe/',
    'POST /api/users/:owner/platforms/:platform/apps/:package/share',
    'POST /api/users/:owner/platforms/:platform/apps/:package/cli_websockets',
    'POST /api/enterprises/:workspace/users',
  ],
  'is `createTrustedPublisher` with a single rule': ['/users/:owner/ci/trust-repository'],
  'exists only in pages': ['/administration/mail/:mail/retry', '/administration/access/:person/revoke'],
  'is what a directory does': ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /scim/v2/`),
  'exists only in the API of DeployGate': [
    'DELETE /api/enterprises/:workspace/users/:user',
    ...['POST', 'PUT', 'DELETE'].map(
      (method) => `${method} /api/users/:owner/platforms/:platform/apps/:package/keystores`,
    ),
    ...['POST', 'DELETE'].flatMap((method) =>
      ['teams', 'shared_teams'].map(
        (teams) => `${method} /api/organizations/:owner/platforms/:platform/apps/:package/${teams}`,
      ),
    ),
    'POST /api/enterprises/:workspace/shared_teams',
    'DELETE /api/enterprises/:workspace/shared_teams',
  ],
};

/** Beginnings of the names of commands without an operation. */
export const commandsWithoutOperation: Readonly<Record<string, readonly string[]>> = {
  'runs, moves or repairs the installation': [
    'serve',
    'migrate',
    'sweep',
    'retention',
    'backup',
    'restore',
    'move',
    'secret',
    'audit',
    'person erase',
  ],
  'creates accounts, or signs in to one': ['user', 'login', 'logout'],
  'changes a pull request, which is not on the server': ['pull-request'],
  'changes nothing': [
    'whoami',
    'person export',
    'person mentions',
    'inspect',
    'analyze',
    'bundle',
    'simulate',
    'version',
    'completion',
    ...['app', 'build', 'page'].flatMap((noun) => [`${noun} list`, `${noun} show`]),
    ...['tester', 'device', 'webhook', 'key'].map((noun) => `${noun} list`),
  ],
};
