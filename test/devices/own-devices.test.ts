/** The devices that a user registered while signed in: only that user can rename or remove them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnRegistration, visitingDevice } from '../../src/devices/own-devices.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { addApp, addPage, sampleInfo } from '../support/sample-rows.ts';

const path = '/settings/devices';
const removal = `${path}/remove`;
const phone = '00008030-001A35E11A88003A';
const tablet = '00008030-001A35E11A88003B';

describe('own devices', () => {
  let slipway: AccountsService;
  let mina: Browser;
  const owners: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'vera'], { mail: false });
    mina = await slipway.browser('mina');
    for (const name of ['harbour', 'quay']) {
      await slipway.project(name);
      owners[name] = (await slipway.data.owners.findOwner(name))?.id ?? '';
    }
    const { appId, builds } = await addApp(slipway.data, owners.harbour ?? '', { platform: 'ios' });
    const page = await addPage(slipway.data, appId, builds[0]?.id ?? '', {
      name: 'nightly',
      accessKey: 'ab'.repeat(20),
    });
    const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
    const facts = {
      name: 'Phone',
      product: 'iPhone15,4',
      browser: 'one',
      osVersion: '22B83',
      pageId: page.id,
    };
    for (const [owner, udid, who] of [
      ['harbour', phone, 'mina'],
      ['quay', phone, 'mina'],
      ['harbour', tablet, 'vera'],
    ] as const) {
      slipway.clock.now += 1;
      const device = { ...facts, ownerId: owners[owner] ?? '', udid, userId: await idOf(who) };
      await slipway.data.devices.putDevice({ ...device, now: slipway.clock.now }, 9);
    }
  });
  afterAll(() => slipway.close());

  const listed = async (owner: string) =>
    (await slipway.data.devices.allDevices(owners[owner] ?? '', 9)).map(
      ({ udid, name }) => `${udid} ${name}`,
    );

  it('are listed once each, with every owner they are registered with', async () => {
    const { text } = await mina.get(path);
    expect(text.match(/<h2>/g)).toHaveLength(1);
    expect(text).toContain(phone);
    expect(text).toContain('iPhone 15');
    expect(text).not.toContain(tablet);
    for (const part of ['>harbour<', '>quay<', `href="/distributions/${'ab'.repeat(20)}"`])
      expect(text).toContain(part);
    expect((await (await slipway.browser('admin')).get(path)).text).toContain('No devices yet');
  });

  it('are renamed in every list, without changing devices of others', async () => {
    slipway.clock.now += 1;
    const form = formOf((await mina.get(path)).text, 'rename');
    const renamed = await mina.post(form.action, { ...form.fields, name: '  Work \u202e phone ' });
    expect(renamed.headers.location).toBe(`${path}?done=renamed`);
    expect(await listed('quay')).toEqual([`${phone} Work phone`]);
    expect(await listed('harbour')).toEqual([`${phone} Work phone`, `${tablet} Phone`]);
    for (const udid of [tablet, 'x', '']) {
      expect((await mina.post(form.action, { ...form.fields, udid })).status).toBe(404);
    }
    const [entry] = await slipway.data.audit.page({ ownerId: owners.quay ?? '' }, { limit: 1 });
    expect(entry).toMatchObject({ actorName: 'mina', action: 'device.renamed', subject: phone });
  });

  it('are removed from one list at a time', async () => {
    slipway.clock.now += 1;
    const forms = postedForms((await mina.get(path)).text).filter(({ action }) => action === removal);
    expect(forms).toHaveLength(2);
    const others = (await slipway.data.devices.allDevices(owners.harbour ?? '', 9)).find(
      (one) => one.udid === tablet,
    );
    expect((await mina.post(removal, { ...forms[0]?.fields, device: others?.id ?? '' })).status).toBe(404);
    expect((await mina.post(removal, forms[0]?.fields ?? {})).headers.location).toBe(`${path}?done=removed`);
    expect((await mina.post(removal, forms[0]?.fields ?? {})).status).toBe(404);
    expect(await listed('quay')).toEqual([]);
    expect(await listed('harbour')).toHaveLength(2);
    const [entry] = await slipway.data.audit.page({ ownerId: owners.quay ?? '' }, { limit: 1 });
    expect(entry).toMatchObject({ actorName: 'mina', action: 'device.deleted', subject: phone });
  });
});

it('the device of a visitor is their only registered one of its kind', () => {
  const registered = (udid: string, product: string): OwnRegistration => ({
    device: {
      ...{ id: udid, ownerId: 'one', udid, name: '', product, osVersion: '22B83', userId: 'mina' },
      ...{ pageId: null, createdAt: 1, updatedAt: 1 },
    },
    userName: 'mina',
    page: null,
    owner: { kind: 'project', name: 'harbour' },
  });
  const [iphone, other, ipad] = [
    registered(phone, 'iPhone15,4'),
    registered(`${phone}0`, 'iPhone14,5'),
    registered(tablet, 'iPad13,1'),
  ];
  const info = sampleInfo({ platform: 'ios' });
  expect(visitingDevice(info, 'ipad', [iphone, ipad])?.udid).toBe(tablet);
  expect(visitingDevice(info, 'iphone', [iphone, ipad])?.udid).toBe(phone);
  expect(visitingDevice(info, 'iphone', [iphone, other])).toBeNull();
  expect(visitingDevice(info, 'iphone', [ipad])).toBeNull();
});
