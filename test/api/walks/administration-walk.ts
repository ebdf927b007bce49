import { expect } from 'vitest';
import { buildApk } from '../../support/build-apk.ts';
import { uploaded } from '../../support/interface-client.ts';
import type { Walk } from './walk.ts';

const names = (data: { name: string }[]) => data.map(({ name }) => name);

export const administrationWalk: Walk = {
  title: 'searches, limits owners, and administers the installation',
  run: async ({ slipway, api }) => {
    const key = await slipway.user('zoe');
    const member = await slipway.user('zack');
    await slipway.project('zenith', { members: { zoe: 'owner', zack: 'tester' } });
    const file = buildApk({ packageName: 'com.example.zenith' });
    const fields = { distribution_name: 'zenith nightly', message: 'Zenith one' };
    await uploaded(slipway, { owner: 'zenith', key, file, fields });

    const found = (await api.call('search', 200, { key, query: { q: 'zenith' } })).value;
    expect(found.apps).toMatchObject([{ owner: 'zenith', package_name: 'com.example.zenith' }]);
    expect(found.builds).toMatchObject([{ build: { revision: 1, message: 'Zenith one' } }]);
    expect(found.pages).toMatchObject([{ name: 'zenith nightly', revision: 1, state: 'open', active: true }]);
    expect(names(found.projects)).toEqual(['zenith']);
    await api.call('search', 400, { key });
    const query = { library: 'okhttp', version: '<4.12' };
    const builds = (await api.call('searchLibraries', 200, { key, query })).value;
    expect(builds).toEqual({ data: [], next_cursor: null });
    await api.call('searchLibraries', 400, { key, query: { library: 'okhttp', version: '<' } });
    await api.call('search', 400, { key, query: { q: 'x'.repeat(201) } });
    const people = (await api.call('search', 200, { key, query: { q: 'zack' } })).value.people;
    expect(people).toEqual([{ name: 'zack', project: 'zenith' }]);

    const params = { owner: 'zenith' };
    const owner = (await api.call('getOwner', 200, { key, params })).value;
    expect(owner).toMatchObject({ kind: 'project', apps: 1, builds: 1, storage: file.length });
    const quota = { storage: 10_000_000, builds: 0, projects: null };
    await api.call('setQuota', 403, { key, params, body: quota });
    await api.call('setQuota', 400, { params, body: { ...quota, builds: -1 } });
    expect((await api.call('setQuota', 200, { params, body: quota })).value.quota).toEqual(quota);
    expect((await api.call('getQuota', 200, { params })).value.quota).toEqual(quota);

    const made = await api.call('createWorkspace', 201, { body: { name: 'zodiac' } });
    expect(made.value).toMatchObject({ name: 'zodiac', display_name: 'zodiac' });
    await api.call('createWorkspace', 409, { body: { name: 'zodiac' } });
    await api.call('createWorkspace', 403, { key, body: { name: 'other' } });
    const workspace = { workspace: 'zodiac' };
    for (const [part, place] of [
      ['Project', params],
      ['Workspace', workspace],
      ['Installation', {}],
    ] as const) {
      const listed = await api.call(`list${part}Access`, 200, { params: place });
      expect(names(listed.value.data)).toContain('admin');
      const report = { params: { ...place, person: 'ADMIN' } };
      expect((await api.call(`get${part}PersonAccess`, 200, report)).value.name).toBe('admin');
      await api.call(`get${part}PersonAccess`, 404, { params: { ...place, person: 'nobody' } });
      const others = await api.call(`list${part}Credentials`, 200, { params: place, query: { limit: '1' } });
      if (part === 'Project') expect(others.value.data).toMatchObject([{ kind: 'page-link' }]);
      await api.call(`list${part}Access`, part === 'Project' ? 200 : part === 'Workspace' ? 404 : 403, {
        params: place,
        key,
      });
    }
    const leaver = { params: { ...workspace, person: 'zack' }, body: {} };
    await api.call('revokeWorkspaceAccess', 404, leaver);
    await api.call('addWorkspaceOwners', 200, { params: workspace, body: { logins: ['zack'] } });
    await api.call('revokeWorkspaceAccess', 204, leaver);
    await api.call('revokeWorkspaceAccess', 404, leaver);
    const rule = { newest: 10, days: null };
    const kept = await api.call('setWorkspaceRetention', 200, { params: workspace, body: rule });
    expect(kept.value).toEqual({ rule, effective: rule, from: 'workspace' });
    await api.call('getWorkspaceRetention', 200, { params: workspace });
    await api.call('deleteWorkspaceRetention', 204, { params: workspace });
    expect((await api.call('getWorkspaceRetention', 200, { params: workspace })).value.rule).toBeNull();

    const policies = { session_hours: 12, email_domains: ['example.com'] };
    const changed = await api.call('updateWorkspacePolicies', 200, { params: workspace, body: policies });
    expect(changed.value).toMatchObject({ ...policies, second_factor: false });
    await api.call('updateWorkspacePolicies', 400, { params: workspace, body: { email_domains: ['none'] } });
    await api.call('updateWorkspacePolicies', 404, { key, params: workspace, body: {} });
    expect((await api.call('getWorkspacePolicies', 200, { params: workspace })).value).toEqual(changed.value);
    const proposed = { params: workspace, query: { second_factor: 'true' } };
    expect((await api.call('listPolicyViolations', 200, proposed)).value).toMatchObject({
      next_cursor: null,
    });
    const none = { session_hours: null, email_domains: [] };
    await api.call('updateWorkspacePolicies', 200, { params: workspace, body: none });

    const brand = { name: 'Zodiac', accent: '#ffee00', support: 'help@example.com' };
    for (const [part, branding] of [
      ['', {}],
      ['Workspace', { params: workspace }],
    ] as const) {
      const saved = (await api.call(`update${part}Branding`, 200, { ...branding, body: brand })).value;
      expect(saved).toMatchObject({ ...brand, logo_url: null });
      expect(saved.accent_colors.light).not.toBe(brand.accent);
      await api.call(`update${part}Branding`, 400, { ...branding, body: { accent: 'yellow' } });
      await api.call(`update${part}Branding`, 200, { ...branding, body: { support: null } });
      expect((await api.call(`get${part}Branding`, 200, branding)).value).toEqual({
        ...saved,
        support: null,
      });
      await api.call(`update${part}Branding`, 200, { ...branding, body: { name: null, accent: null } });
    }
    const status = (await api.call('getStatus', 200)).value;
    expect(status).toMatchObject({ can_send_mail: expect.any(Boolean), attention: expect.any(Array) });
    expect(status.people).toBeGreaterThanOrEqual(3);
    await api.call('getStatus', 403, { key });
    const { checks } = (await api.call('runDoctor', 200, { body: {} })).value;
    expect(checks).toContainEqual(expect.objectContaining({ id: 'database', state: 'ok', advice: null }));

    const storeRule = {
      kind: 'ios_sdk',
      threshold: 28,
      from: '2028-04-01',
      source: 'https://example.com/28',
    };
    await api.call('createStoreRule', 403, { key, body: storeRule });
    await api.call('createStoreRule', 400, { body: { ...storeRule, source: 'javascript:alert(1)' } });
    const added = (await api.call('createStoreRule', 201, { body: storeRule })).value;
    expect(added).toMatchObject({ title: 'Built with the iOS 28 SDK or later', added: true, upcoming: true });
    await api.call('createStoreRule', 409, { body: storeRule });
    const ofRule = { params: { rule: added.id } };
    expect((await api.call('getStoreRule', 200, { key, ...ofRule })).value).toEqual(added);
    const muted = (await api.call('updateStoreRule', 200, { ...ofRule, body: { muted: true } })).value;
    expect(muted).toEqual({ ...added, muted: true });
    expect((await api.call('listStoreRules', 200, { key })).value.data).toContainEqual(muted);
    await api.call('deleteStoreRule', 204, ofRule);
    await api.call('deleteStoreRule', 404, ofRule);

    await slipway.user('zelda');
    const zelda = { person: 'zelda' };
    const listed = (await api.call('listAccounts', 200, { query: { q: 'zel' } })).value.data;
    expect(listed).toMatchObject([{ name: 'zelda', disabled: false, administrator: false }]);
    expect((await api.call('getAccount', 200, { params: zelda })).value).toEqual(listed[0]);
    await api.call('getAccount', 404, { params: { person: 'nobody' } });
    const exported = (await api.call('exportAccount', 200, { params: zelda })).value;
    expect(exported.owners).toMatchObject([{ name: 'zelda', kind: 'user' }]);
    await api.call('exportAccount', 404, { params: { person: 'nobody' } });
    expect((await api.call('exportMe', 200)).value.owners).toMatchObject([{ name: 'admin' }]);
    const change = (disabled: boolean) =>
      api.call('updateAccount', 200, { params: zelda, body: { disabled } });
    expect((await change(true)).value.disabled).toBe(true);
    const disabled = await api.call('listAccounts', 200, { query: { only: 'disabled' } });
    expect(names(disabled.value.data)).toContain('zelda');
    expect((await change(false)).value.disabled).toBe(false);
    await api.call('listAccounts', 403, { key });

    const invited = await api.call('createAccountInvitation', 201, { body: {} });
    expect(invited.value.url).toMatch(/\/invitation\//);
    await api.call('createAccountInvitation', 400, { body: { email: 'nobody' } });
    const [invitation] = (await api.call('listAccountInvitations', 200)).value.data;
    await api.call('revokeAccountInvitation', 204, { params: { invitation: invitation.id } });
    await api.call('revokeAccountInvitation', 404, { params: { invitation: invitation.id } });

    const ids = ['0'.repeat(26), `${'0'.repeat(25)}1`];
    const later = Date.now() + 3_600_000;
    const job = { kind: 'verify-signature', buildId: 'none' } as const;
    for (const id of ids) await slipway.data.outbox.addOnce(id, job, later, later);
    const [first, second] = ids.map((id) => ({ job: id }));
    await api.call('retryJob', 404, { params: first });
    await slipway.data.outbox.claim({ kinds: [job.kind], jobsAtOnce: 2, maxAttempts: 12 }, later, 99);
    for (const id of ids) await slipway.data.outbox.retryLater(id, later, 'the disk is full');
    const failing = async () => {
      const { value } = await api.call('listJobs', 200, { query: { state: 'failing' } });
      return value.data.filter(({ id }: { id: string }) => ids.includes(id));
    };
    expect(await failing()).toMatchObject([
      { id: ids[1], kind: 'verify-signature', attempts: 1, last_error: 'the disk is full' },
      { id: ids[0] },
    ]);
    await api.call('deleteJob', 204, { params: second });
    expect(await failing()).toMatchObject([{ id: ids[0] }]);
    await api.call('deleteJob', 404, { params: second });
    await api.call('retryJob', 204, { params: first });
    const [again, givenUp] = await slipway.data.audit.page({ ownerId: null }, { limit: 2 });
    expect([again?.action, givenUp?.action]).toEqual(['work.run-again', 'work.given-up']);
    await api.call('listJobs', 400, { query: { state: 'lost' } });
    await api.call('listMail', 200, { query: { state: 'sent' } });

    await api.call('leaveProject', 204, { key: member, params });
    await api.call('leaveProject', 204, { params });
    await api.call('leaveProject', 409, { key, params });
    const app = { ...params, platform: 'android', package: 'com.example.zenith' };
    await api.call('deleteApp', 204, { key, params: app });
    await api.call('getApp', 404, { key, params: app });
  },
};
