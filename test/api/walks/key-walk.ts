import { expect } from 'vitest';
import type { Walk } from './walk.ts';

export const keyWalk: Walk = {
  title: 'tells a key what it is, and creates, rotates and revokes keys that permit no more',
  run: async ({ slipway, api }) => {
    await slipway.user('kay');
    await slipway.project('keys-crew', { members: { kay: 'owner' } });
    const params = { owner: 'admin' };
    const me = await api.call('getMe', 200);
    expect(me.value).toMatchObject({
      kind: 'user',
      name: 'admin',
      administrator: true,
      key: { scopes: ['upload', 'read', 'manage', 'admin'], restricted_to: [], expires_at: null },
    });
    const ofProject = await api.call('getMe', 200, { key: await slipway.projectKey('keys-crew') });
    expect(ofProject.value).toMatchObject({ kind: 'project', name: 'keys-crew', administrator: false });

    const body = { name: 'CI', scopes: ['manage'], expires_in_days: 30, restricted_to: ['admin'] };
    const made = await api.call('createKey', 201, { params, body });
    const { api_key: key } = made.value;
    const { id } = made.value.key;
    expect(made.value.key).toMatchObject({
      name: 'CI',
      state: 'usable',
      scopes: ['manage'],
      restricted_to: ['admin'],
    });
    const limited = (await api.call('getMe', 200, { key })).value;
    expect([limited.administrator, limited.key.scopes]).toEqual([false, ['upload', 'read', 'manage']]);
    const listed = await api.call('listKeys', 200, { params });
    expect(listed.value.data.map((one: { id: string }) => one.id)).toContain(id);

    const refused = async (wanted: object) => api.call('createKey', 403, { params, key, body: wanted });
    expect((await refused({ ...body, scopes: ['admin'] })).value.code).toBe('insufficient_scope');
    expect((await refused({ ...body, expires_in_days: 31 })).value.detail).toContain('outlives');
    expect((await refused({ ...body, expires_in_days: null })).value.detail).toContain('outlives');
    expect((await refused({ ...body, expires_in_days: 1, restricted_to: [] })).value.detail).toContain(
      'restricted',
    );
    await api.call('createKey', 201, { params, key, body: { ...body, expires_in_days: 1 } });
    await api.call('createKey', 400, { params, body: { ...body, restricted_to: ['nobody'] } });
    await api.call('createKey', 400, { params, body: { ...body, scopes: [] } });
    // A key that is restricted to an app sees no keys.
    const app = { ...body, restricted_to: ['admin/android/com.example.one'] };
    const ofApp = (await api.call('createKey', 201, { params, body: app })).value.api_key;
    await api.call('listKeys', 404, { params, key: ofApp });
    await api.call('listKeys', 404, { params: { owner: 'kay' } });

    const [adminKey] = listed.value.data.filter((one: { name: string }) => one.name !== 'CI');
    const rotation = { params: { ...params, key: adminKey.id }, key, body: { overlap_days: 0 } };
    expect((await api.call('rotateKey', 403, rotation)).value.code).toBe('insufficient_scope');
    const rotated = await api.call('rotateKey', 200, { params: { ...params, key: id }, key, body: {} });
    await api.call('getMe', 200, { key });
    await api.call('endOldSecret', 204, { params: { ...params, key: id }, body: {} });
    await api.call('getMe', 401, { key });
    await api.call('getMe', 200, { key: rotated.value.api_key });
    await api.call('revokeKey', 204, { params: { ...params, key: id } });
    expect((await api.call('getKey', 200, { params: { ...params, key: id } })).value.state).toBe('revoked');
    await api.call('getMe', 401, { key: rotated.value.api_key });
    await api.call('getKey', 404, { params: { ...params, key: 'made-up' } });
  },
};
