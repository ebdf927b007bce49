/** Objects for the samples of twins, in addition to an installation with content for every page. */

import { metadataQueries } from '../../src/accounts/saml/metadata-queries.ts';
import { workspaceProviderQueries } from '../../src/accounts/saml/workspace/workspace-provider-queries.ts';
import type { Database } from '../../src/db/database.ts';
import { workspaceMetadataPlace } from '../../src/owners/gate/workspace-gate.ts';
import { claimedGroupQueries } from '../../src/provisioning/claimed-group-queries.ts';
import { directoryQueries } from '../../src/provisioning/directory-queries.ts';
import { groupMappingQueries } from '../../src/provisioning/group-mapping-queries.ts';
import { scimGroupQueries } from '../../src/provisioning/scim/scim-group-queries.ts';
import type { FullInstallation } from '../support/full-installation.ts';
import type { Person } from '../support/route-callers.ts';
import type { TwinNames } from './twin-samples.ts';

/** Returns the values of path parameters, and the ids that samples name. */
export async function addTwinContent(slipway: FullInstallation, database: Database): Promise<TwinNames> {
  const { kit, data, content } = slipway;
  const { queries: db } = database;
  const idOf = async (name: string) => (await data.owners.findOwner(name))?.id ?? '';
  const [crew, olga, tess] = [await idOf('crew'), await idOf('olga'), await idOf('tess')];
  const submit = async (person: Person, path: string, fields: Record<string, string>) => {
    const answer = await kit.call(person, path, { fields, multipart: false });
    if (answer.status >= 400) throw new Error(`${path} was refused with ${answer.status}: ${answer.text}`);
  };
  const hook = { url: 'https://93.184.216.34/', name: 'new', kind: 'json', subscription: 'all' };
  const app = `/users/olga/platforms/android/apps/${kit.names.app}`;
  await submit('owner', '/organizations/crew/hooks/create', hook);
  await submit('owner', `${app.replace('olga', 'crew')}/hooks/create`, hook);
  await submit('owner', '/organizations/crew/people/add', { login: 'sam', team: 'tester' });
  await submit('administrator', '/administration/invitations/create', { email: '' });
  await submit('harbour', '/enterprises/harbour/people/add', { login: 'dev', role: 'owner' });
  for (const _ of [1, 2]) await submit('owner', '/organizations/crew/settings/signing-keys/rotate', {});
  await submit('owner', `${app.replace('olga', 'crew')}/developer-verification/2/register`, {});
  const workspace = await data.owners.findWorkspace('harbour');
  await data.workspaces.addPerson(workspace?.id ?? '', await idOf('admin'), 'owner');
  await data.workspaces.addPerson(workspace?.id ?? '', await idOf('tess'), 'member');
  const directory = workspace?.id ?? '';
  await slipway.workspace('lagoon', 'hanna');
  for (const [name, requiredAt] of [
    ['harbour', null],
    ['lagoon', 1],
  ] as const) {
    const known = await data.owners.findWorkspace(name);
    if (!known) throw new Error(`there is no ${name}`);
    const rest = {
      name: 'Entra',
      entityId: 'https://login.example.com',
      metadataUrl: null,
      attributes: null,
    };
    await workspaceProviderQueries(data).set({ workspace: known, ...rest, requiredAt }, Date.now());
    await metadataQueries(data).keep(workspaceMetadataPlace(known.id), '<old/>', Date.now());
  }
  const token = await directoryQueries(data).insertToken({
    ...{ workspaceId: directory, name: 'okta', tokenHash: 'x', createdBy: 'hanna' },
    ...{ expiresAt: null, now: Date.now() },
  });
  await directoryQueries(data).insertDomain(directory, 'example.org', Date.now());
  const groupNamed = (displayName: string) =>
    scimGroupQueries(data).insert(directory, { displayName, externalId: null }, Date.now());
  const directoryGroup = await groupNamed('Pilots');
  const rule = {
    group: { id: await groupNamed('Sailors'), source: 'scim' },
    target: { kind: 'owners' },
  } as const;
  const mapping = await groupMappingQueries(data).insert(directory, {
    ...rule,
    ...{ createdBy: 'hanna', now: Date.now() },
  });
  const claimed = await claimedGroupQueries(data).insert({
    ...{ workspaceId: directory, source: 'saml', name: 'Crew', key: 'crew' },
    ...{ createdBy: 'admin', now: Date.now() },
  });
  const ownApp = await data.apps.findApp(olga, 'android', kit.names.app ?? '');
  for (const userId of [tess, await idOf('else')])
    await data.appTesters.add({ appId: ownApp?.id ?? '', userId, limit: 9, now: Date.now() });

  const hanna = await idOf('hanna');
  for (const group of [kit.names.ownGroup, kit.names.group])
    await data.groups.addManager(group ?? '', hanna, Date.now());
  await data.groups.addPerson(kit.names.ownGroup ?? '', tess, Date.now());
  const hooks = await db.selectFrom('hooks').select(['id', 'app_id']).where('name', '=', 'new').execute();
  const invitations = await db
    .selectFrom('invitations')
    .selectAll()
    .where('max_people', 'is', null)
    .execute();
  const invitationOf = (wanted: (one: (typeof invitations)[number]) => boolean) =>
    invitations.find(wanted)?.id;
  const keys = await db.selectFrom('api_keys').selectAll().where('revoked_at', 'is', null).execute();
  const deleted = await db
    .selectFrom('builds')
    .select('revision')
    .where('deleted_at', 'is not', null)
    .executeTakeFirst();
  const served = await db
    .selectFrom('distribution_pages as p')
    .innerJoin('builds as b', 'b.id', 'p.build_id')
    .select('b.revision')
    .where('p.access_key', '=', kit.names.page ?? '')
    .executeTakeFirst();
  const job = await db.selectFrom('outbox').select('id').where('attempts', '>', 1).executeTakeFirst();
  return {
    ...kit.names,
    ...{ owner: 'crew', workspace: 'harbour', platform: 'android', team: 'tester', user: 'hanna' },
    ...{ package: kit.names.app ?? '', accessKey: kit.names.page ?? '', revision: '3' },
    ...{ token, mapping, directoryGroup, claimed, hanna },
    ...{ olga, tess, administrator: await idOf('admin') },
    key: keys.find((one) => one.owner_id === crew && one.previous_until === null)?.id ?? '',
    rotatedKey: keys.find((one) => one.owner_id === crew && one.previous_until !== null)?.id ?? '',
    ownKey: keys.find((one) => one.owner_id === olga && one.name === 'laptop')?.id ?? '',
    webhook: hooks.find((one) => one.app_id === null)?.id ?? '',
    newWebhook: hooks.find((one) => one.app_id === null)?.id ?? '',
    newAppWebhook: hooks.find((one) => one.app_id !== null)?.id ?? '',
    invitation: invitationOf((one) => one.project_id === crew && one.user_id === null) ?? '',
    personalInvitation: invitationOf((one) => one.project_id === crew && one.user_id !== null) ?? '',
    appInvitation: invitationOf((one) => one.app_id !== null) ?? '',
    workspaceInvitation: invitationOf((one) => one.workspace_id !== null) ?? '',
    accountInvitation:
      invitationOf((one) => !one.project_id && !one.app_id && !one.workspace_id && !one.user_id) ?? '',
    inviteLink: content.inviteLinks.project,
    appInviteLink: content.inviteLinks.app,
    protectedRevision: String(content.revisions.invalid),
    freeRevision: '5',
    deletedRevision: String(deleted?.revision),
    servedRevision: String(served?.revision),
    number: '1',
    job: job?.id ?? '',
  };
}
