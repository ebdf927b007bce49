import { expect } from 'vitest';
import { buildApk } from '../../support/build-apk.ts';
import { uploaded } from '../../support/interface-client.ts';
import type { Walk } from './walk.ts';

export const pageWalk: Walk = {
  title: 'creates pages, publishes builds, rolls back and changes rules',
  run: async ({ slipway, api }) => {
    const package_name = 'com.example.pages';
    for (const versionCode of [1, 2, 3])
      await uploaded(slipway, {
        file: buildApk({ packageName: package_name, versionCode }),
        fields: { message: `Build ${versionCode}` },
      });
    const app = { owner: 'admin', platform: 'android', package: package_name };
    const body = { name: 'Nightly', revision: 1, release_note: 'First' };
    const made = await api.call('createPage', 201, { params: app, body });
    const { key } = made.value;
    expect(made.headers.location).toBe(`/api/v1/pages/${key}`);
    const again = await api.call('createPage', 409, { params: app, body });
    expect(again.value.errors[0].pointer).toBe('/name');
    await api.call('createPage', 400, { params: app, body: { ...body, name: 'x', revision: 99 } });
    const named = { params: { ...app, name: 'feature/login é' } };
    await api.call('getPageByName', 404, named);
    const branch = await api.call('publishByName', 200, { ...named, body: { revision: 2 } });
    expect(branch.value).toMatchObject({ name: 'feature/login é', revision: 2, release_note: 'Build 2' });
    expect((await api.call('getPageByName', 200, named)).value).toEqual(branch.value);
    const pages = await api.call('listPages', 200, { params: app });
    expect(pages.value.data.map(({ name }: { name: string }) => name)).toEqual([
      'Nightly',
      'feature/login é',
    ]);
    const first = await api.call('listPages', 200, { params: app, query: { limit: '1' } });
    const rest = await api.call('listPages', 200, {
      params: app,
      query: { cursor: first.value.next_cursor },
    });
    expect([...first.value.data, ...rest.value.data]).toEqual(pages.value.data);

    const params = { accessKey: key };
    expect((await api.call('getPage', 200, { params })).value).toEqual(made.value);
    const published = await api.call('publishBuild', 200, {
      params,
      body: { revision: 3, release_note: 'Third' },
    });
    expect(published.value).toMatchObject({ revision: 3, release_note: 'Third' });
    await api.call('publishBuild', 400, { params, body: { revision: 77 } });
    const back = await api.call('rollBackPage', 200, { params, body: { revision: 1 } });
    expect(back.value).toMatchObject({ revision: 1, release_note: 'First' });
    await api.call('rollBackPage', 409, { params, body: { revision: 1 } });
    await api.call('withdrawPageBuild', 204, { params: { ...params, revision: 3 }, body: {} });
    const check = await api.call('checkInstall', 200, { params, query: { user: 'nobody-of-this-name' } });
    expect(check.value).toMatchObject({ user: 'nobody-of-this-name', device: null, last_refusal: null });
    await api.call('checkInstall', 400, { params });
    const history = await api.call('listPageHistory', 200, { params });
    expect(
      history.value.data.map((entry: { revision: number; withdrawn: boolean }) => [
        entry.revision,
        entry.withdrawn,
      ]),
    ).toEqual([
      [1, false],
      [3, true],
    ]);
    await api.call('restorePageBuild', 204, { params: { ...params, revision: 3 }, body: {} });

    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const rules = {
      access: 'passcode',
      passcode: 'open sesame',
      expires_at: expiresAt,
      max_installs: 5,
      networks: ['10.0.0.0/8'],
      feedback: true,
      mandatory_from: 2,
    };
    const changed = await api.call('updatePage', 200, { params, body: rules });
    const { passcode: _, ...shown } = rules;
    expect(changed.value).toEqual({ ...back.value, ...shown, has_passcode: true, state: 'networks' });
    const opened = await api.call('updatePage', 200, {
      params,
      body: {
        access: 'unlisted',
        expires_at: null,
        max_installs: null,
        networks: [],
        feedback: false,
        mandatory_from: null,
      },
    });
    expect(opened.value).toEqual(back.value);
    const wrong = {
      access: 'groups',
      groups: ['QA'],
      networks: ['x'],
      mandatory_from: 0,
      expires_at: '2020-01-01T00:00:00Z',
    };
    const { errors } = (await api.call('updatePage', 400, { params, body: wrong })).value;
    expect(errors).toContainEqual(expect.objectContaining({ pointer: '/groups' }));
    const { groups: __, ...others } = wrong;
    const refused = await api.call('updatePage', 400, { params, body: others });
    expect(refused.value.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/expires_at',
      '/groups',
      '/mandatory_from',
      '/networks',
    ]);
    const moved = await api.call('rotatePageLink', 200, { params, body: {} });
    expect(moved.value.key).not.toBe(key);
    await api.call('getPage', 404, { params });
    await api.call('deletePage', 204, { params: { accessKey: moved.value.key } });
    await api.call('getPage', 404, { params: { accessKey: moved.value.key } });
  },
};
