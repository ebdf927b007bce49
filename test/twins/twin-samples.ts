/** One change by each operation of `/api/v1`, and by its forms and calls of DeployGate's API. */
import type { Person } from '../support/route-callers.ts';
import { createSamlKey, metadataOf } from '../support/saml-provider.ts';
import { keysOf, type Twins } from './twin-table.ts';

export interface TwinSample {
  operation: string;
  /** The caller; an owner of the Project by default. */
  by?: Person;
  /** Parameters of the paths: in place of those of the Project `crew` and its app. */
  at?: Record<string, string>;
  /** Where a form, or a call of DeployGate's API, names things in other ways than the operation. */
  formAt?: Record<string, string>;
  json?: Record<string, unknown>;
  /** The fields that someone changes in the form. All others are sent with the values on the page. */
  form?: Record<string, string>;
  /** The ends of the forms' paths, where not all of them do the same. */
  forms?: readonly string[];
  deploygate?: Record<string, string>;
  /** The calls of DeployGate's API that do the same. */
  calls?: readonly string[];
  /** The status with which all of them refuse it. */
  refused?: number;
}

/** Forms in other places than the operation, which samples name. */
const elsewhere = /^\/settings\/|^\/administration\/people\/:person\/keys|\/ci\/create-key$/;

/** The forms and calls that the sample compares: those of a Project, or of the user that it names. */
export function twinKeysOf({ forms, calls, at = {} }: TwinSample, row: Twins): string[] {
  const isOwn = at.owner === 'olga';
  const isOf = (key: string) =>
    !/(organizations|users)\/:owner\/(?!platforms)/.test(key) || isOwn === key.includes('/users/:owner');
  const isNamed = (form: string) => forms?.some((part) => form.startsWith(part) || form.endsWith(part));
  const isCalled = (call: string) =>
    calls?.some((part) => {
      const [method = '', end = part] = part.split(' ');
      return part.includes(' ') ? call.startsWith(method) && call.endsWith(end) : call.endsWith(part);
    });
  return [
    ...row.forms
      .filter((form) => isNamed(form) ?? !elsewhere.test(form))
      .flatMap((form) => keysOf({ ...row, forms: [form], deploygate: [] }))
      .filter(isOf),
    ...row.deploygate.filter((call) => isCalled(call) ?? true),
  ];
}

/** Ids of objects in the installation. */
export type TwinNames = Readonly<Record<string, string>>;

const address = 'https://93.184.216.34/hook';
const metadata = metadataOf({ entityId: 'https://new.example.com', keys: createSamlKey() });

export function twinSamples(names: TwinNames): TwinSample[] {
  const own = {
    ...{ owner: 'olga', group: names.ownGroup, webhook: names.ownWebhook, device: names.ownDevice },
    publisher: names.ownPublisher,
  };
  const ownApp = { owner: 'olga' };
  const at = (more: Record<string, string | undefined>) => more as Record<string, string>;
  const both = (sample: TwinSample): TwinSample[] => [
    sample,
    { ...sample, at: at({ ...own, ...sample.at }) },
  ];
  const ofApp = (sample: TwinSample) => ({
    ...sample,
    operation: sample.operation.replace('Webhook', 'AppWebhook'),
  });
  const newKey = {
    operation: 'createKey',
    json: { name: ' CI ', scopes: ['upload'], expires_in_days: 30 },
    form: { name: ' CI ', scope: 'upload', expires: '30' },
  };
  const key = { at: at({ key: names.key }) };
  const ownKey = { at: at({ ...own, key: names.ownKey }) };
  const webhooks = (webhook: string | undefined): TwinSample[] => [
    {
      operation: 'createWebhook',
      json: { url: address, name: 'Builds', events: ['build.uploaded'] },
      form: { url: address, name: 'Builds', subscription: 'some', event: 'build.uploaded' },
    },
    {
      operation: 'updateWebhook',
      at: at({ webhook }),
      json: { url: 'https://93.184.216.35/', name: 'Renamed', kind: 'json', events: ['*'] },
      form: { url: 'https://93.184.216.35/', name: 'Renamed', kind: 'json', subscription: 'all' },
      forms: ['save'],
    },
    { operation: 'updateWebhook', at: at({ webhook }), json: { state: 'off' }, forms: ['pause'] },
    { operation: 'deleteWebhook', at: at({ webhook }) },
    { operation: 'rotateWebhookSecret', at: at({ webhook }) },
  ];
  const only = { trusted_publishers_only: true };
  const rule = { json: { newest: 5, days: null }, form: { keep: 'some', newest: '5', days: '' } };
  const everything = {
    json: { newest: null, days: null },
    form: { keep: 'everything', newest: '', days: '' },
  };
  const inherited = { form: { keep: 'inherit', newest: '', days: '' } };
  const harbour = { by: 'harbour' } as const;
  const served = { active: 'true', release_scope: 'unlisted' };
  return [
    newKey,
    { ...newKey, at: at(own), forms: ['/settings/keys/create'] },
    { operation: 'rotateKey', ...key, json: { overlap_days: 1 }, form: { overlap: '1' } },
    { operation: 'rotateKey', ...ownKey, forms: ['/settings/keys/:key/rotate'] },
    { operation: 'revokeKey', ...key },
    { operation: 'revokeKey', ...ownKey, forms: ['/settings/keys/:key/revoke'] },
    { operation: 'endOldSecret', at: at({ key: names.rotatedKey }) },

    ...both({
      operation: 'createTrustedPublisher',
      json: {
        name: 'Nightly',
        provider: 'github',
        app: { platform: 'ios', package_name: 'com.example.new' },
        page_name_pattern: 'pr-*',
        rules: [
          { claim: 'repository', equals: 'acme/tide' },
          { claim: 'workflow_ref', prefix: 'acme/tide/.github/workflows/release.yml@' },
          { claim: 'event_name', one_of: ['push', 'schedule'] },
        ],
        allow_self_hosted: true,
      },
      form: {
        ...{ name: 'Nightly', provider: 'github', platform: 'ios', package: 'com.example.new', page: 'pr-*' },
        ...{ repository: 'acme/tide', workflow: 'release.yml', self_hosted: 'yes' },
        rules: 'event_name = push | schedule',
      },
    }),
    ...both({ operation: 'updateTrustedPublisher', json: { name: 'New' }, form: { name: 'New' } }),
    ...both({ operation: 'deleteTrustedPublisher' }),
    ...both({ operation: 'resetTrustedPublisherPins' }),
    ...both({ operation: 'updateOwner', json: only, form: { only: 'yes' } }),
    { operation: 'updateApp', json: only, form: { only: 'yes' } },

    ...webhooks(names.newWebhook),
    ...webhooks(undefined)
      .slice(0, 1)
      .map((sample) => ({ ...sample, at: at(own) })),
    ...webhooks(names.newAppWebhook).map(ofApp),
    { operation: 'redeliverAppWebhook', at: at({ webhook: names.appWebhook, delivery: 'msg_2' }) },

    {
      operation: 'createPage',
      json: { name: 'fresh', revision: 3, release_note: 'First' },
      form: { name: 'fresh', revision: '3', note: 'First' },
      deploygate: { title: 'fresh', revision: '3', release_note: 'First' },
    },
    {
      operation: 'updatePage',
      json: { name: 'renamed' },
      form: { name: 'renamed' },
      forms: ['appearance/save'],
      deploygate: { ...served, title: 'renamed' },
    },
    {
      operation: 'updatePage',
      json: { access: 'members' },
      form: { access: 'members' },
      forms: ['access/save'],
      deploygate: { active: 'true', release_scope: 'authorized_only' },
    },
    {
      operation: 'updatePage',
      json: { release_note: 'Now faster' },
      form: { note: 'Now faster' },
      forms: ['settings/save'],
      deploygate: { ...served, release_note: 'Now faster' },
    },
    {
      operation: 'deletePage',
      form: { confirmation: 'nightly' },
      deploygate: { distribution_name: 'nightly' },
    },
    {
      operation: 'publishBuild',
      json: { revision: 3, release_note: 'Third' },
      form: { page: 'nightly', note: 'Third', notify: '' },
      deploygate: { revision: '3', release_note: 'Third' },
    },
    { operation: 'rollBackPage', json: { revision: 1 }, form: { revision: '1' } },
    { operation: 'rotatePageLink' },
    { operation: 'withdrawPageBuild', at: at({ revision: '3' }), form: { revision: '3' } },
    { operation: 'restorePageBuild', at: at({ revision: '2' }), form: { revision: '2' } },

    ...both({ operation: 'setRetention', ...rule }),
    ...both({ operation: 'setRetention', ...everything }),
    ...both({ operation: 'deleteRetention', ...inherited }),
    { operation: 'setAppRetention', ...rule },
    { operation: 'setAppRetention', ...everything },
    { operation: 'deleteAppRetention', ...inherited },
    { operation: 'setWorkspaceRetention', ...harbour, ...rule },
    { operation: 'setWorkspaceRetention', ...harbour, ...everything },
    { operation: 'deleteWorkspaceRetention', ...harbour, ...inherited },
    {
      operation: 'updateWorkspacePolicies',
      ...harbour,
      json: { session_hours: 12, networks: ['127.0.0.0/8', '::1'], page_access: 'passcode' },
      form: { session_hours: '12', networks: '127.0.0.0/8\r\n::1', page_access: 'passcode' },
    },

    ...both({ operation: 'createGroup', json: { name: ' Fresh ' }, form: { name: ' Fresh ' } }),
    ...both({ operation: 'renameGroup', json: { name: 'Renamed' }, form: { name: 'Renamed' } }),
    ...both({ operation: 'deleteGroup' }),
    { operation: 'addGroupPeople', json: { logins: ['dev'] }, form: { login: 'dev' } },
    { operation: 'addGroupPeople', at: at(own), json: { logins: ['else'] }, form: { login: 'else' } },
    ...both({ operation: 'addGroupManager', json: { login: 'else' }, form: { login: 'else' } }),
    ...both({
      operation: 'removeGroupManager',
      at: at({ person: 'hanna' }),
      form: { user: names.hanna ?? '' },
    }),
    ...both({ operation: 'removeGroupPerson', at: at({ person: 'tess' }), form: { user: names.tess ?? '' } }),

    { operation: 'createInvitation', json: { team: 'developer' }, form: { team: 'developer' } },
    { operation: 'revokeInvitation', at: at({ invitation: names.invitation }), forms: ['/revoke'] },
    { operation: 'revokeInvitation', at: at({ invitation: names.personalInvitation }), forms: ['/cancel'] },
    { operation: 'createAccountInvitation', by: 'administrator', json: {} },
    {
      operation: 'revokeAccountInvitation',
      by: 'administrator',
      at: at({ invitation: names.accountInvitation }),
    },
    {
      operation: 'createProjectInviteLink',
      json: { name: 'Beta', team: 'developer', group: 'QA', days: 30, max_people: 5 },
      form: { name: 'Beta', team: 'developer', group: names.group ?? '', days: '30', max_people: '5' },
    },
    { operation: 'revokeProjectInviteLink', at: at({ invitation: names.inviteLink }) },
    { operation: 'createAppInviteLink', at: ownApp, json: { name: 'Beta' }, form: { name: 'Beta' } },
    { operation: 'revokeAppInviteLink', at: at({ ...ownApp, invitation: names.appInviteLink }) },
    { operation: 'revokeAppInvitation', at: at({ ...ownApp, invitation: names.appInvitation }) },
    {
      operation: 'addPeople',
      json: { logins: ['hanna'], team: 'tester' },
      form: { login: 'hanna', team: 'tester' },
      deploygate: { username: 'hanna', user: 'hanna' },
      calls: ['/api/organizations/:owner/members', '/teams/:team/users'],
    },
    {
      operation: 'updatePerson',
      at: { person: 'tess' },
      formAt: at({ person: names.tess }),
      json: { team: 'developer' },
      form: { team: 'developer' },
    },
    {
      operation: 'removePerson',
      at: at({ person: 'tess' }),
      formAt: at({ person: names.tess, user: 'tess' }),
      calls: ['/api/organizations/:owner/members/:user', '/teams/:team/users/:user'],
    },
    { operation: 'removePersonEverywhere', at: { person: 'tess' }, formAt: at({ person: names.tess }) },
    { operation: 'leaveProject', by: 'tester' },
    {
      operation: 'addTesters',
      at: ownApp,
      json: { logins: ['dev'] },
      form: { login: 'dev' },
      deploygate: { users: 'dev' },
    },
    {
      operation: 'removeTester',
      at: at({ ...ownApp, person: 'tess' }),
      form: { user: names.tess ?? '' },
      deploygate: { users: 'tess' },
    },

    {
      operation: 'createProject',
      json: { name: 'fresh', description: 'New' },
      form: { name: 'fresh', description: 'New' },
      deploygate: { name: 'fresh', description: 'New' },
      calls: ['/api/organizations'],
    },
    {
      operation: 'createProject',
      by: 'harbour',
      json: { name: 'fresh', description: 'New', workspace: 'harbour' },
      form: { name: 'fresh', description: 'New', workspace: 'harbour' },
      deploygate: { name: 'fresh', description: 'New' },
      calls: ['/api/enterprises/:workspace/organizations'],
    },
    {
      operation: 'updateProject',
      json: { description: 'Other' },
      form: { description: 'Other' },
      deploygate: { description: 'Other' },
    },
    ...both({
      operation: 'setQuota',
      by: 'administrator',
      json: { storage: 1024, builds: 5, projects: 2 },
      form: { storage: '1 KiB', builds: '5', projects: '2', counts_for: '' },
    }),
    {
      operation: 'createWorkspace',
      by: 'administrator',
      json: { name: 'quay', display_name: 'The Quay' },
      form: { name: 'quay', display_name: 'The Quay' },
    },
    {
      operation: 'updateWorkspace',
      ...harbour,
      json: { display_name: ' The Harbour ' },
      form: { display_name: ' The Harbour ' },
      forms: ['settings/save'],
    },
    {
      operation: 'setIdentityProvider',
      ...harbour,
      json: { name: 'Okta', metadata },
      form: { name: 'Okta', metadata },
    },
    { operation: 'removeIdentityProvider', ...harbour },
    {
      operation: 'requireIdentityProvider',
      ...harbour,
      json: { required: true },
      forms: ['turn-on'],
      refused: 409,
    },
    {
      operation: 'requireIdentityProvider',
      by: 'administrator',
      at: { workspace: 'lagoon' },
      json: { required: false },
      forms: ['turn-off'],
    },
    {
      operation: 'addWorkspaceOwners',
      ...harbour,
      json: { logins: ['sam'] },
      form: { login: 'sam', role: 'owner' },
    },
    {
      operation: 'addWorkspacePeople',
      ...harbour,
      json: { logins: ['sam'], role: 'member' },
      form: { login: 'sam', role: 'member' },
    },
    {
      operation: 'updateWorkspacePerson',
      ...harbour,
      at: { person: 'tess' },
      formAt: at({ person: names.tess }),
      json: { role: 'owner' },
      form: { role: 'owner' },
    },
    { operation: 'leaveWorkspace', ...harbour, by: 'tester' },
    {
      operation: 'removeWorkspacePerson',
      ...harbour,
      at: { person: 'tess' },
      formAt: at({ person: names.tess }),
    },
    {
      operation: 'removeWorkspaceOwner',
      ...harbour,
      at: { person: 'admin' },
      formAt: at({ person: names.administrator }),
    },
    {
      operation: 'createScimToken',
      ...harbour,
      json: { name: 'Entra', expires_in_days: 90 },
      form: { name: 'Entra', expires: '90' },
    },
    { operation: 'revokeScimToken', ...harbour, at: at({ token: names.token }) },
    {
      operation: 'revokeWorkspaceAccess',
      ...harbour,
      at: { person: 'admin' },
      formAt: at({ person: names.administrator }),
    },
    {
      operation: 'assignWorkspaceDomain',
      by: 'administrator',
      json: { domain: ' Example.net' },
      form: { domain: ' Example.net' },
    },
    {
      operation: 'removeWorkspaceDomain',
      by: 'administrator',
      at: { domain: 'example.org' },
    },
    {
      operation: 'addGroupRule',
      ...harbour,
      json: { directory_group: names.directoryGroup, kind: 'team', project: 'dock', team: 'tester' },
      form: { directory_group: names.directoryGroup ?? '', target: 'team tester dock' },
    },
    {
      operation: 'assignDirectoryGroup',
      ...harbour,
      by: 'administrator',
      json: { source: 'ldap', group: 'cn=pilots,dc=example,dc=com' },
      form: { source: 'ldap', group: 'cn=pilots,dc=example,dc=com' },
    },
    {
      operation: 'removeDirectoryGroup',
      ...harbour,
      by: 'administrator',
      at: at({ claimed: names.claimed }),
    },
    { operation: 'removeGroupRule', ...harbour, at: at({ mapping: names.mapping }) },
    { operation: 'revokeWorkspaceInvitation', ...harbour, at: at({ invitation: names.workspaceInvitation }) },
    {
      operation: 'updateBranding',
      by: 'administrator',
      json: { name: 'Pier', accent: '#0044AA', support: 'help@example.com' },
      form: { name: 'Pier', accent: '#0044AA', support: 'help@example.com', previewed: '#0044aa' },
    },
    {
      operation: 'updateWorkspaceBranding',
      ...harbour,
      json: { name: 'Pier', accent: '#0044AA', support: 'help@example.com' },
      form: { name: 'Pier', accent: '#0044AA', support: 'help@example.com', previewed: '#0044aa' },
    },

    {
      operation: 'updateBuild',
      json: { message: 'Other' },
      form: { message: 'Other' },
      forms: ['message'],
      deploygate: { message: 'Other' },
      calls: [':revision'],
    },
    { operation: 'updateBuild', json: { protected: true }, forms: ['/protect'], calls: ['POST /protect'] },
    {
      operation: 'updateBuild',
      at: at({ revision: names.protectedRevision }),
      json: { protected: false },
      forms: ['/unprotect'],
      calls: ['DELETE /protect'],
    },
    { operation: 'deleteBuild', at: at({ revision: names.freeRevision }) },
    {
      operation: 'deleteBuilds',
      json: { revisions: [Number(names.freeRevision)] },
      form: { revision: names.freeRevision ?? '' },
    },
    {
      operation: 'restoreBuilds',
      json: { revisions: [Number(names.deletedRevision)] },
      form: { revision: names.deletedRevision ?? '' },
    },
    {
      operation: 'labelBuilds',
      json: { revisions: [3], label: ' Gold ' },
      form: { revision: '3', label: ' Gold ' },
    },
    { operation: 'protectBuilds', json: { revisions: [3] }, form: { revision: '3' } },
    {
      operation: 'updateCheckSettings',
      json: {
        destinations: ['private'],
        fail_above: { bytes: 1_500_000, percent: 2.5 },
        levels: { libraries: 'warn' },
        denied_libraries: ['com.example:*'],
      },
      form: {
        ...{ destination: 'private', 'fail-bytes': '1.5 MB', 'fail-percent': '2.5 %' },
        ...{ 'level-libraries': 'warn', denied: 'com.example:*' },
      },
    },
    {
      operation: 'acceptCheck',
      at: { check: 'play-target-api-36' },
      json: { reason: ' The last release ' },
      form: { reason: ' The last release ' },
    },
    { operation: 'revokeAcceptance', at: { check: 'play-page-size' } },
    { operation: 'deleteApp', form: { confirmation: names.package ?? '' } },
    { operation: 'updateAppSigningKey', json: { registered: true }, forms: ['/register'] },
    {
      operation: 'updateAppSigningKey',
      at: at({ number: '2' }),
      json: { registered: false },
      forms: ['/unregister'],
    },
    {
      operation: 'createSigningKeyProof',
      at: at({ number: '2' }),
      json: { token: 'DPAW2Z2O' },
      form: { token: 'DPAW2Z2O', number: '2' },
    },
    { operation: 'rotateAppSecret' },

    ...both({
      operation: 'renameDevice',
      json: { name: ' Test  phone ' },
      form: { name: ' Test  phone ' },
      forms: ['OWNER/'],
    }),
    ...both({ operation: 'deleteDevice', forms: ['OWNER/'] }),
    { operation: 'updateFeedback', json: { status: 'closed' }, form: { status: 'closed' } },
    { operation: 'deleteFeedback' },
    { operation: 'deleteSymbolFile', at: { revision: '1' } },
    { operation: 'replyToFeedback', refused: 409, json: { text: ' Fixed ' }, form: { reply: ' Fixed ' } },
    {
      operation: 'updateAccount',
      by: 'administrator',
      at: { person: 'sam' },
      formAt: { person: 'sam' },
      json: { disabled: true },
      forms: ['disable'],
    },
    {
      operation: 'createStoreRule',
      by: 'administrator',
      json: { kind: 'ios_sdk', threshold: 28, from: '2028-04-01', source: 'https://example.com/28' },
      form: { kind: 'ios_sdk', threshold: '28', from: '2028-04-01', source: 'https://example.com/28' },
    },
    {
      operation: 'updateStoreRule',
      by: 'administrator',
      at: { rule: 'added-1' },
      json: { from: '2027-09-30', muted: true },
      form: { from: '2027-09-30', muted: 'on' },
    },
    { operation: 'deleteStoreRule', by: 'administrator', at: { rule: 'added-1' } },
    ...refusedSamples(names),
    { operation: 'retryJob', by: 'administrator', at: at({ job: names.job }) },
    { operation: 'deleteJob', by: 'administrator', at: at({ job: names.job }) },
  ];
}

/** Requests that operations and their forms refuse with the same status. */
const refusedSamples = (names: TwinNames): TwinSample[] => [
  {
    operation: 'createStoreRule',
    by: 'administrator',
    refused: 409,
    json: { kind: 'target_api', threshold: 36, from: '2028-04-01', source: 'https://example.com/36' },
    form: { kind: 'target_api', threshold: '36', from: '2028-04-01', source: 'https://example.com/36' },
  },
  {
    operation: 'updateStoreRule',
    by: 'administrator',
    refused: 400,
    at: { rule: 'added-1' },
    json: { from: '2027-02-30' },
    form: { from: '2027-02-30' },
  },
  { operation: 'createKey', refused: 400, json: { name: ' ', scopes: ['read'] }, form: { name: ' ' } },
  {
    operation: 'createWebhook',
    refused: 400,
    json: { url: 'http://example.com/' },
    form: { url: 'http://example.com/' },
  },
  {
    operation: 'createPage',
    refused: 409,
    json: { name: 'nightly', revision: 3 },
    form: { name: 'nightly', revision: '3', note: '' },
    calls: [],
  },
  {
    operation: 'setRetention',
    refused: 400,
    json: { newest: 0, days: null },
    form: { keep: 'some', newest: '0', days: '' },
  },
  { operation: 'createGroup', refused: 409, json: { name: 'qa' }, form: { name: 'qa' } },
  { operation: 'createGroup', refused: 400, json: { name: 'a\u200bb' }, form: { name: 'a\u200bb' } },
  {
    operation: 'createInvitation',
    refused: 400,
    json: { team: 'tester', email: 'pia@example.com' },
    form: { team: 'tester', email: 'pia@example.com' },
  },
  {
    operation: 'createProjectInviteLink',
    refused: 400,
    json: { name: 'Beta', group: 'none' },
    form: { name: 'Beta', group: 'none' },
  },
  {
    operation: 'updatePerson',
    refused: 409,
    at: { person: 'olga' },
    formAt: { person: names.olga ?? '' },
    json: { team: 'tester' },
    form: { team: 'tester' },
  },
  {
    operation: 'removePerson',
    refused: 409,
    at: { person: 'olga' },
    formAt: { person: names.olga ?? '' },
    calls: [],
  },
  {
    operation: 'createProject',
    refused: 409,
    json: { name: 'Other' },
    form: { name: 'Other', description: '', workspace: '' },
    calls: [],
  },
  {
    operation: 'createProject',
    refused: 404,
    json: { name: 'fresh', workspace: 'harbour' },
    form: { name: 'fresh', description: '', workspace: 'harbour' },
    calls: [],
  },
  {
    operation: 'setQuota',
    by: 'administrator',
    refused: 400,
    json: { storage: null, builds: -1, projects: null },
    form: { builds: '-1' },
  },
  {
    operation: 'createWorkspace',
    by: 'administrator',
    refused: 409,
    json: { name: 'harbour' },
    form: { name: 'harbour', display_name: '' },
  },
  {
    operation: 'updateBranding',
    by: 'administrator',
    refused: 400,
    json: { accent: 'red' },
    form: { accent: 'red' },
  },
  {
    operation: 'labelBuilds',
    refused: 400,
    json: { revisions: [3], label: ' ' },
    form: { revision: '3', label: ' ' },
  },
  { operation: 'deleteBuild', refused: 409, at: { revision: names.servedRevision ?? '' }, calls: [] },
  {
    operation: 'deleteBuilds',
    refused: 409,
    json: { revisions: [Number(names.servedRevision)] },
    form: { revision: names.servedRevision ?? '' },
  },
];

/** Forms and calls that no sample compares, as patterns by reason. */
export const notSampled: Readonly<Record<string, RegExp>> = {
  'takes a file': /\/(upload|icon|icon\/remove|apps|provenance\/attach|symbols\/upload)$/,
  'calls others': /\/(hooks\/:webhook\/test|doctor\/run)$/,
  'is a place more for a change that a sample compares':
    /^POST \/(users\/:owner\/hooks\/:webhook|settings\/devices|settings\/keys\/:key\/end|administration\/people\/:person\/keys)/,
  'is in a Workspace, and the samples are not':
    / \/api\/enterprises\/:workspace\/organizations\/:owner\/users/,
  'chooses the name and the life of a key': /\/ci\/create-key$/,
  'needs what was changed before': /\/(resume|enable|hooks\/:webhook\/deliveries\/:delivery\/retry)$/,
};
