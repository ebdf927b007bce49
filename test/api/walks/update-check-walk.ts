import { expect } from 'vitest';
import { buildApk } from '../../support/build-apk.ts';
import { send } from '../../support/http-client.ts';
import { uploaded } from '../../support/interface-client.ts';
import { signApk } from '../../support/sign-apk.ts';
import { createTestKey } from '../../support/test-key.ts';
import type { Walk } from './walk.ts';

export const updateCheckWalk: Walk = {
  title: 'tells an app whether there is an update',
  run: async ({ slipway, api }) => {
    const packageName = 'com.example.updates';
    const key = createTestKey();
    const publish = async (versionCode: number) =>
      uploaded(slipway, {
        file: signApk(buildApk({ packageName, versionCode, minSdk: 24 }), { v2: [{ key }] }),
        fields: { distribution_name: 'main', release_note: `Note ${versionCode}` },
      });
    const first = await publish(1);
    await publish(2);
    const params = { accessKey: first.distribution?.access_key ?? '' };
    const app = { platform: 'android', package: packageName };
    const ask = async (query: Record<string, string>) =>
      api.call('checkForUpdate', 200, { params, query: { ...app, ...query }, key: null });
    const older = await ask({ revision: '1' });
    expect(older.value).toMatchObject({
      update_available: true,
      reason: 'newer_on_page',
      current: { known: true, revision: 1, withdrawn: false },
      latest: { revision: 2, version_code: '2', release_note: 'Note 2' },
      install: { method: 'apk' },
    });
    expect(older.headers['access-control-allow-origin']).toBe('*');
    expect(older.headers['cache-control']).toBe('public, max-age=60');
    const { etag = '' } = older.headers;
    await api.call('checkForUpdate', 304, {
      params,
      query: { ...app, revision: '1' },
      key: null,
      headers: { 'If-None-Match': etag },
    });
    const { sha256 } = older.value.latest;
    expect((await ask({ sha256 })).value).toMatchObject({ update_available: false, reason: 'up_to_date' });
    expect((await ask({ version_code: '1' })).value.current.revision).toBe(1);
    expect((await ask({ version_code: '9' })).value).toMatchObject({
      reason: 'newer_than_page',
      current: { known: false, revision: null, withdrawn: false },
    });
    const install = await send(slipway.port, new URL(older.value.install.url).pathname);
    expect(install.status).toBe(303);
    const file = await send(slipway.port, install.headers.location ?? '');
    expect([file.status, file.headers['content-type']]).toEqual([
      200,
      'application/vnd.android.package-archive',
    ]);

    const refused = { params, key: null };
    await api.call('checkForUpdate', 400, { ...refused, query: app });
    await api.call('checkForUpdate', 404, {
      ...refused,
      query: { ...app, package: 'com.example.other', revision: '1' },
    });
    for (const [mandatory_from, revision, mandatory] of [
      [2, '1', true],
      [1, '1', false],
      [3, '2', false],
      [null, '1', false],
    ] as const) {
      await api.call('updatePage', 200, { params, body: { mandatory_from } });
      expect((await ask({ revision })).value.latest.mandatory).toBe(mandatory);
    }
    await api.call('updatePage', 200, { params, body: { access: 'members' } });
    const forMembers = (await ask({ revision: '1' })).value;
    for (const changes of [{ access: 'passcode', passcode: 'harbour7' }, { access: 'members' }]) {
      await api.call('updatePage', 200, { params, body: changes });
      const closed = await ask({ revision: '1' });
      expect(closed.value).toMatchObject({
        update_available: true,
        reason: 'newer_on_page',
        current: { known: true, revision: null, withdrawn: false },
        latest: {
          revision: null,
          version_name: null,
          version_code: '',
          uploaded_at: null,
          release_note: '',
          size: null,
          sha256: null,
          minimum_os: null,
          mandatory: false,
        },
      });
      expect(closed.text).not.toContain('Note 2');
      expect(closed.text).not.toContain(sha256);
    }
    expect(forMembers.install).toEqual({
      page_url: forMembers.install.page_url,
      url: forMembers.install.page_url,
      method: 'page',
    });
    await api.call('updatePage', 200, { params, body: { networks: ['127.0.0.0/8', '::1'] } });
    expect((await ask({ revision: '1' })).headers['cache-control']).toBe('private, max-age=60');
    await api.call('updatePage', 200, { params, body: { networks: ['192.0.2.0/24'] } });
    await api.call('checkForUpdate', 404, { ...refused, query: { ...app, revision: '1' } });
    await api.call('updatePage', 200, { params, body: { networks: [], active: false } });
    await api.call('checkForUpdate', 404, { ...refused, query: { ...app, revision: '1' } });
    const page = await slipway.data.distributions.findPage(params.accessKey);
    expect(page?.installs).toBe(1);
  },
};
