import { expect } from 'vitest';
import { newIdentifier } from '../../../src/core/identifier.ts';
import { buildApk } from '../../support/build-apk.ts';
import { send } from '../../support/http-client.ts';
import { uploaded } from '../../support/interface-client.ts';
import { addDevice } from '../../support/sample-rows.ts';
import type { Walk } from './walk.ts';

export const recordsWalk: Walk = {
  title: 'shows devices, retention rules, feedback, activity and audit logs',
  run: async ({ slipway, api }) => {
    const packageName = 'com.example.records';
    const upload = await uploaded(slipway, {
      file: buildApk({ packageName }),
      fields: { distribution_name: 'main' },
    });
    const page = await slipway.data.distributions.findPage(upload.distribution?.access_key ?? '');
    const app = { owner: 'admin', platform: 'android', package: packageName };
    const owner = { owner: 'admin' };
    const ownerId = (await slipway.data.owners.findOwner('admin'))?.id ?? '';

    for (const [name, udid] of [
      ['Two', '00008120-001A2B3C4D5E6F70'],
      ['One', '00008110-001A2B3C4D5E6F70'],
    ] as const)
      await addDevice(slipway.data, ownerId, page?.id ?? '', { udid, name, browser: name, now: Date.now() });
    const devices = await api.call('listDevices', 200, { params: owner });
    expect(devices.value.data).toMatchObject([
      { name: 'One', udid: '00008110-001A2B3C4D5E6F70', os_version: '18.1', user: null },
      { name: 'Two' },
    ]);
    const first = await api.call('listDevices', 200, { params: owner, query: { limit: '1' } });
    const rest = await api.call('listDevices', 200, {
      params: owner,
      query: { cursor: first.value.next_cursor },
    });
    expect([...first.value.data, ...rest.value.data]).toEqual(devices.value.data);
    const device = { params: { ...owner, device: devices.value.data[0].id } };
    const renamed = await api.call('renameDevice', 200, { ...device, body: { name: ' Test  phone ' } });
    expect(renamed.value.name).toBe('Test phone');
    expect((await api.call('getDevice', 200, device)).value).toEqual(renamed.value);
    const ofApp = await api.call('listAppDevices', 200, { params: app });
    expect(ofApp.value.data[0]).toEqual({ device: renamed.value, provisioned: null });
    await api.call('deleteDevice', 204, device);
    await api.call('getDevice', 404, device);

    for (const [part, params] of [
      ['App', app],
      ['', owner],
    ] as const) {
      const none = await api.call(`get${part}Retention`, 200, { params });
      expect(none.value).toEqual({ rule: null, effective: { newest: null, days: null }, from: null });
      const rule = { newest: 20, days: null };
      const set = await api.call(`set${part}Retention`, 200, { params, body: rule });
      expect(set.value).toEqual({ rule, effective: rule, from: part === 'App' ? 'app' : 'owner' });
      await api.call(`set${part}Retention`, 400, { params, body: { newest: 0, days: null } });
      await api.call(`set${part}Retention`, 400, { params, body: { newest: 1 } });
      await api.call(`delete${part}Retention`, 204, { params });
      expect((await api.call(`get${part}Retention`, 200, { params })).value).toEqual(none.value);
    }

    const app_ = await slipway.data.apps.findApp(ownerId, 'android', packageName);
    const sendFeedback = async (email: string | null) => {
      const id = newIdentifier(Date.now());
      await slipway.data.feedback.insert(
        {
          id,
          appId: app_?.id ?? '',
          buildId: page?.buildId ?? '',
          pageId: page?.id ?? null,
          pageName: 'main',
          text: 'It stops',
          email,
          sender: null,
          device: 'Pixel 9',
          status: 'new',
          createdAt: Date.now(),
        },
        [],
      );
      return id;
    };
    const id = await sendFeedback(null);
    const listed = await api.call('listFeedback', 200, {
      params: app,
      query: { status: 'new', revision: '1' },
    });
    expect(listed.value.data).toMatchObject([{ id, text: 'It stops', status: 'new', accepts_reply: false }]);
    const feedback = { params: { ...app, feedback: id } };
    expect((await api.call('getFeedback', 200, feedback)).value).toEqual(listed.value.data[0]);
    const closed = await api.call('updateFeedback', 200, { ...feedback, body: { status: 'closed' } });
    expect(closed.value.status).toBe('closed');
    expect(
      (await api.call('listFeedback', 200, { params: app, query: { status: 'new' } })).value.data,
    ).toEqual([]);
    await api.call('replyToFeedback', 409, { ...feedback, body: { text: 'Thanks' } });
    const answered = { params: { ...app, feedback: await sendFeedback('ann@example.com') } };
    await api.call('replyToFeedback', 202, { ...answered, body: { text: 'Thanks' } });
    await api.call('deleteFeedback', 204, feedback);
    await api.call('getFeedback', 404, feedback);

    await send(slipway.port, `/distributions/${page?.accessKey}`, {
      headers: { 'User-Agent': 'Mozilla/5.0 (Linux; Android 16; Pixel 9) Chrome/140 Mobile' },
    });
    const views = async () =>
      (await api.call('getActivity', 200, { params: app })).value.days[0]?.counts[0]?.views ?? 0;
    await expect.poll(views).toBe(1);
    expect((await api.call('listMemberActivity', 200, { params: app })).value.data).toEqual([]);

    const log = await api.call('listAuditLog', 200, { params: owner, query: { action: 'device.renamed' } });
    expect(log.value.data).toMatchObject([
      { actor: 'admin', action: 'device.renamed', details: { name: 'Test phone' } },
    ]);
    const all = await api.call('listFullAuditLog', 200, { query: { limit: '1', actor: 'ADMIN' } });
    expect(all.value.next_cursor).not.toBeNull();
    const until = all.value.data[0].at;
    const earlier = await api.call('listFullAuditLog', 200, { query: { until, limit: '200' } });
    expect(earlier.value.data.every(({ at }: { at: string }) => at < until)).toBe(true);
    await api.call('listFullAuditLog', 400, { query: { from: 'yesterday' } });
  },
};
