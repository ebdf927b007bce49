/** Signing in at the provider of a Workspace: whom it may speak for, and what others' providers can't do. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namedInvitationQueries } from '../../src/accounts/invitations/named-invitation-queries.ts';
import { workspaceProviderQueries } from '../../src/accounts/saml/workspace/workspace-provider-queries.ts';
import { personalDataQueries } from '../../src/privacy/personal-data-queries.ts';
import { createClaimedGroups } from '../../src/provisioning/claimed-groups.ts';
import { createGroupMappings } from '../../src/provisioning/group-mapping-changes.ts';
import { browserAfter, browserWith, leadsTo } from '../support/accounts-service.ts';
import { json, send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import {
  type AssertionFields,
  answer,
  createSamlKey,
  encode,
  metadataOf,
  type SamlProvider,
} from '../support/saml-provider.ts';
import {
  addCookies,
  addProvider,
  enterWorkspace,
  providerAt,
  type SamlService,
  startSamlService,
} from '../support/saml-service.ts';

const origin = 'https://apps.example.com';
let saml: SamlService;
/** Chosen by an owner of another Workspace, which no email domain is assigned to. */
let evil: SamlProvider;

beforeAll(async () => {
  saml = await startSamlService('sqlite', ['olga', 'mina', 'paul', 'victor'], { workspace: 'quay' });
  const { slipway } = saml;
  await slipway.workspace('dock', 'victor');
  evil = providerAt(`${origin}/enterprises/dock/saml`, 'https://evil.example.com', () => slipway.clock.now);
  await addProvider(slipway, 'dock', evil);
});
afterAll(() => saml.close());

const enter = (fields: Partial<AssertionFields>, cookie = '') =>
  enterWorkspace(saml, { provider: saml.provider, workspace: 'quay', cookie }, fields);
const enterDock = (fields: Partial<AssertionFields>, cookie = '') =>
  enterWorkspace(saml, { provider: evil, workspace: 'dock', cookie }, fields);
const email = (address: string) => ({ attributes: [['email', address]] as const });
const idOf = async (name: string) => (await saml.slipway.data.owners.findOwner(name))?.id ?? '';
const workspaceId = async (name: string) => (await saml.slipway.data.owners.findWorkspace(name))?.id ?? '';
const rolesOf = async (workspace: string, name: string) =>
  saml.slipway.data.workspaces.rolesOf(await workspaceId(workspace), await idOf(name));
const identitiesOf = async (name: string) =>
  (await saml.slipway.data.identities.listIdentities(await idOf(name))).map(({ issuer }) => issuer);

describe('the provider of a Workspace', () => {
  it('has its own entity ID and addresses', async () => {
    const metadata = await saml.slipway.stranger.get('/enterprises/quay/saml/metadata');
    expect(metadata.text).toContain(`entityID="${origin}/enterprises/quay/saml/metadata"`);
    expect(metadata.text).toContain(`Location="${origin}/enterprises/quay/saml/acs"`);
    expect((await saml.slipway.stranger.get('/enterprises/nowhere/saml/metadata')).status).toBe(404);
  });

  it('creates accounts, which it signs in from then on', async () => {
    const made = await enter({ nameId: 'new-1', ...email('quentin@elsewhere.example') });
    expect(made.headers.location).toBe('/');
    expect((await browserAfter(saml.slipway, made).get('/settings')).text).toContain('quentin');
    expect(await identitiesOf('quentin')).toEqual([
      `workspace-saml:${await workspaceId('quay')}:${saml.provider.entityId}`,
    ]);
    expect(await rolesOf('quay', 'quentin')).toEqual(['member']);
    const again = await enter({ nameId: 'new-1' });
    expect((await browserAfter(saml.slipway, again).get('/settings')).text).toContain('quentin');
  });

  it('signs in an account with a confirmed address in an email domain of the Workspace', async () => {
    const entered = await enter({ nameId: 'mina-1', ...email('MINA@example.com') });
    expect((await browserAfter(saml.slipway, entered).get('/settings')).text).toContain('mina');
  });

  it('claims groups for the rules of its Workspace only, which its owners assign', async () => {
    const { data, clock } = saml.slipway;
    const deps = { data, now: () => clock.now, wakeOutbox: () => undefined };
    const assigned = async (name: string, by: string, kind: 'members' | 'owners') => {
      const [workspace, user] = [await data.owners.findWorkspace(name), await data.owners.findUser(by)];
      if (!workspace || !user) throw new Error(`no ${name}`);
      const actor = { kind: 'user', user } as const;
      const { assign } = createClaimedGroups(deps);
      if (by === 'victor')
        await expect(assign(actor, workspace, { source: 'saml', name: 'Crew' })).rejects.toThrow(
          'administrators',
        );
      const directoryGroup = await assign(actor, workspace, { source: 'workspace', name: 'Crew' });
      const target = { kind, project: null, team: null, group: null };
      await createGroupMappings(deps).add(actor, workspace, { directoryGroup, ...target });
      const provider = await workspaceProviderQueries(data).find(workspace.id);
      if (provider)
        await workspaceProviderQueries(data).set({ ...provider, attributes: 'groups=memberOf' }, clock.now);
    };
    await assigned('quay', 'admin', 'members');
    await assigned('dock', 'victor', 'owners');
    const crew = [['memberOf', 'Crew']] as [string, string][];
    expect(await rolesOf('quay', 'mina')).toEqual([]);
    await enter({ nameId: 'mina-1', attributes: crew });
    expect([await rolesOf('quay', 'mina'), await rolesOf('dock', 'mina')]).toEqual([['member'], []]);
    await enter({ nameId: 'mina-1' });
    expect(await rolesOf('quay', 'mina')).toEqual([]);
    // Quentin is a member in any case.
    await enter({ nameId: 'new-1', attributes: crew });
    await enter({ nameId: 'new-1' });
    expect(await rolesOf('quay', 'quentin')).toEqual(['member']);
  });

  it('never signs in an administrator', async () => {
    const issuer = `workspace-saml:${await workspaceId('quay')}:${saml.provider.entityId}`;
    const linked = { issuer, subject: 'admin-1', label: '', createdAt: 0 };
    await saml.slipway.data.identities.insertIdentity({ ...linked, userId: await idOf('admin') });
    const refused = await enter({ nameId: 'admin-1' });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Sign in to your account first');
    expect(refused.headers['set-cookie']?.join()).not.toContain('slipway_session');
  });

  it('can begin the sign-in itself', async () => {
    const acs = '/enterprises/quay/saml/acs';
    const posted = await saml.post(encode(answer(saml.provider, { nameId: 'new-1' })), '/projects', acs);
    const bounced = await saml.finish(posted, '');
    expect(leadsTo(bounced)).toContain('https://login.example.com/sign-in?SAMLRequest=');
  });
});

describe('the provider of another Workspace', () => {
  it('is refused with an address or a NameID of someone else', async () => {
    const refused = await enterDock({ nameId: 'm', ...email('mina@example.com') });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('your email address exists'),
    ]);
    const made = await enterDock({ nameId: 'mina-1' });
    expect((await browserAfter(saml.slipway, made).get('/settings')).text).not.toContain('mina@example.com');
    expect(await identitiesOf('mina')).toHaveLength(1);
  });

  it('gets nothing that is meant for an address it only claims', async () => {
    const { slipway } = saml;
    const address = 'boss@corp.example';
    await enterDock({ nameId: 'boss-1', ...email(address) });
    const call = (method: string, path: string, key: string, body?: object) =>
      send(slipway.port, path, {
        method,
        headers: { ...bearer(key), ...(body ? { 'Content-Type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    await slipway.project('pier', { workspace: 'quay' });
    const people = '/api/v1/projects/pier/people';
    const add = (login: string) => call('POST', people, slipway.adminKey, { logins: [login], team: 'owner' });
    // The email with the link reaches whom the owner meant.
    expect(json(await add(address))).toMatchObject({ people: [{ outcome: 'invited' }] });
    const invitations = namedInvitationQueries(slipway.data);
    expect(await invitations.listOfUser(await idOf('boss'), slipway.clock.now, 9)).toEqual([]);
    const policies = '/api/v1/workspaces/quay/policies';
    await call('PATCH', policies, slipway.adminKey, { email_domains: ['corp.example'] });
    expect((await add('boss')).status).toBe(403);
    await call('PATCH', policies, slipway.adminKey, { email_domains: [] });
    expect(json(await add('boss'))).toMatchObject({ people: [{ outcome: 'added' }] });
    await call('DELETE', `${people}/boss`, slipway.adminKey);
    const boss = await personalDataQueries(slipway.data).findPerson('boss');
    expect(boss).toEqual({ id: await idOf('boss'), name: 'boss', email: null });
  });

  it('is refused at the address of this one, under any name', async () => {
    const way = await saml.begin();
    const acs = '/enterprises/quay/saml/acs';
    const forged: SamlProvider[] = [
      evil,
      { ...evil, acs: saml.provider.acs, audience: saml.provider.audience },
      { ...saml.provider, keys: evil.keys },
      { ...saml.provider, keys: evil.keys, acs: evil.acs, audience: evil.audience },
    ];
    for (const provider of forged) {
      const response = encode(answer(provider, { inResponseTo: way.id, nameId: 'mina-1' }));
      expect((await saml.post(response, undefined, acs)).status).toBe(400);
      // Nor can what one Workspace accepted be used at the other.
      expect((await saml.post(response, undefined, '/enterprises/dock/saml/finish')).status).toBeGreaterThan(
        399,
      );
    }
    const response = encode(answer(saml.provider, { inResponseTo: way.id, nameId: 'mina-1' }));
    expect((await saml.post(response, undefined, '/enterprises/dock/saml/acs')).status).toBe(400);
    const posted = await saml.post(response, undefined, acs);
    const moved = browserWith(saml.slipway, addCookies(way.cookie, posted));
    expect((await moved.get('/enterprises/dock/saml/finish')).text).toContain('Start again');
  });

  it('signs in no account that a person linked, except in their own session', async () => {
    const paul = await saml.slipway.browser('paul');
    const asked = await enterDock({ nameId: 'paul-1' }, paul.cookie);
    expect(asked.headers.location).toBe('/enterprises/dock/saml/confirm');
    const linking = browserWith(saml.slipway, asked.cookie);
    const linked = await linking.submit('/enterprises/dock/saml/confirm', 'link');
    expect(linked.headers.location).toBe('/enterprises/dock/saml/sign-in');
    expect(await identitiesOf('paul')).toHaveLength(1);
    const joined = await enterDock({ nameId: 'paul-1' }, paul.cookie);
    expect(joined.headers.location).toBe('/');
    const alone = await enterDock({ nameId: 'paul-1' });
    expect([alone.status, alone.text]).toEqual([403, expect.stringContaining('doesn’t manage the account')]);
    const other = await saml.slipway.browser('mina');
    const wrong = await enterDock({ nameId: 'paul-1' }, other.cookie);
    expect(wrong.status).toBe(403);
  });

  it('takes over no links by another entity ID', async () => {
    const moved = { ...evil, entityId: saml.provider.entityId };
    await addProvider(saml.slipway, 'dock', moved);
    try {
      const made = await enterWorkspace(saml, { provider: moved, workspace: 'dock' }, { nameId: 'mina-1' });
      expect((await browserAfter(saml.slipway, made).get('/settings')).text).not.toContain(
        'mina@example.com',
      );
    } finally {
      await addProvider(saml.slipway, 'dock', evil);
    }
  });
});

describe('metadata at an address', () => {
  it('is fetched through the guard, kept over a restart, and never becomes that of another provider', async () => {
    const { data, clock } = saml.slipway;
    let body: string | null = metadataOf(saml.provider);
    const server = createServer((_request, response) => {
      if (body === null) response.writeHead(500).end();
      else response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
    const settings = { SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8', SLIPWAY_SAML_METADATA: url };
    const open = { SLIPWAY_SAML_SIGN_UP: 'open' };
    const byUrl = await startSamlService('sqlite', ['mina'], { settings: { ...settings, ...open } });
    const guarded = await startSamlService('sqlite', [], { settings: { SLIPWAY_SAML_METADATA: url } });
    try {
      expect((await guarded.slipway.stranger.get('/saml/sign-in')).status).toBe(503);
      const enterBy = async (provider: SamlProvider) => {
        const way = await byUrl.begin();
        const fields = { inResponseTo: way.id, nameId: 'url-1' };
        return (await byUrl.post(encode(answer({ ...provider, now: () => byUrl.slipway.clock.now }, fields))))
          .status;
      };
      const provider = { ...byUrl.provider, keys: saml.provider.keys };
      expect(await enterBy(provider)).toBe(303);
      expect(await byUrl.slipway.data.samlMetadata.find(url)).toMatchObject({ xml: body, problem: null });
      body = null;
      byUrl.slipway.clock.now += 61 * 60_000;
      expect(await enterBy(provider)).toBe(303);
      expect(await byUrl.slipway.data.samlMetadata.find(url)).toMatchObject({
        problem: 'metadata: status-500',
      });
      const next = createSamlKey();
      body = metadataOf(provider, { keys: [next] });
      byUrl.slipway.clock.now += 60_000;
      expect(await enterBy(provider)).toBe(400);
      expect(await enterBy({ ...provider, keys: next })).toBe(303);
    } finally {
      await byUrl.close();
      await guarded.close();
      server.close();
    }
    expect(await data.samlMetadata.find(`workspace ${await workspaceId('quay')}`)).toMatchObject({
      readAt: clock.now,
    });
  });
});
