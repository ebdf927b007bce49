/** A story that causes every event of an owner, told through the API, the feedback form and an iPhone. */
import { expect } from 'vitest';
import { ruleCalendarQueries } from '../../src/insight/calendar/rule-calendar-queries.ts';
import { eventQueries } from '../../src/jobs/event-queries.ts';
import type { ApiClient } from '../api/api-client.ts';
import { createSigningIdentity } from '../packages/ipa/signing-identity.ts';
import { anonymousForm } from './browser-session.ts';
import { buildBundle } from './build-bundle.ts';
import { buildIpa } from './build-ipa.ts';
import { send } from './http-client.ts';
import { uploaded } from './interface-client.ts';
import { settleOutbox } from './mail-service.ts';
import { multipart } from './multipart-body.ts';
import { registerLikeIos } from './profile-service-peer.ts';
import type { TestService } from './test-service.ts';

const packageName = 'com.example.tidewatch';
const identity = createSigningIdentity({ commonName: 'Apple Distribution: Tidewatch' });

/** The expected events, in order: `data` as the API answered right after the event, or right before something was deleted. */
export type ExpectedEvent = readonly [type: string, data: Record<string, unknown>];

/** `owner`: a Project without apps whose owner team includes `admin`. */
export async function causeEveryEvent(
  slipway: TestService,
  api: ApiClient,
  owner: string,
): Promise<ExpectedEvent[]> {
  const expected: ExpectedEvent[] = [];
  const app = { owner, platform: 'ios', package: packageName };
  const show = async (id: string, params: Record<string, string | number>) =>
    (await api.call(id, 200, { params })).value;
  const change = async (
    id: string,
    status: number,
    params: Record<string, string | number>,
    body: unknown = {},
  ) => {
    const { value } = await api.call(id, status, { params, ...(status === 204 ? {} : { body }) });
    // Events of one node are listed in the order of their causes.
    await settleOutbox(slipway);
    return value;
  };
  const upload = async (message: string, fields: Record<string, string> = {}) => {
    const file = buildIpa({
      bundleIdentifier: packageName,
      name: 'Tidewatch',
      shortVersion: '2.4.1',
      version: '400',
      identity,
      profile: { devices: ['00008110-000A1C2E3D41801E'] },
    });
    const result = await uploaded(slipway, { owner, file, fields: { message, ...fields } });
    await settleOutbox(slipway);
    return result;
  };
  const withBuild = async (revision: number) => ({
    app: await show('getApp', app),
    build: await show('getBuild', { ...app, revision }),
  });

  const { distribution } = await upload('A banner for storms', {
    ...{ distribution_name: 'main', branch: 'main', commit: '9f31c2ab77d0' },
    build_url: 'https://ci.example.com/run/4412',
  });
  const accessKey = distribution?.access_key ?? '';
  const served = async (revision: number, key = accessKey) => ({
    ...(await withBuild(revision)),
    page: await show('getPage', { accessKey: key }),
  });
  const first = await served(1);
  // The signature may have been verified already when the event was dispatched.
  const maybeVerified = <B extends { signature_verified: unknown }>(build: B) => ({
    ...build,
    signature_verified: expect.toBeOneOf([null, build.signature_verified]),
  });
  const unverified = { ...first, build: maybeVerified(first.build) };
  expected.push(
    ['build.uploaded', unverified],
    ['page.created', unverified],
    ['page.published', unverified],
    ['build.verified', { app: first.app, build: first.build }],
  );
  const checks = await show('getBuildChecks', { ...app, revision: 1 });
  expected.push(['build.checked', { app: first.app, build: maybeVerified(first.build), checks }]);

  // Begins after every test.
  const rule = { kind: 'ios_sdk', threshold: 99, source: 'https://example.com/rules' } as const;
  const saved = { id: 'added-1', added: rule, from: '2999-01-01', isMuted: false, changedAt: 1 };
  await ruleCalendarQueries(slipway.data).saveRule(saved);
  await change('updateCheckSettings', 200, app, { destinations: ['app_store'] });
  const found = await slipway.data.owners.findOwner(owner);
  const stored = found && (await slipway.data.apps.findApp(found.id, 'ios', packageName));
  const [{ id: buildId = '' } = {}] = stored
    ? await slipway.data.builds.listBuilds(stored.id, { limit: 1 })
    : [];
  const facts = (await slipway.data.checks.listFacts([buildId])).get(buildId);
  if (!facts?.ios) throw new Error('the build was not analyzed');
  await slipway.data.checks.store(buildId, { ...facts, ios: { ...facts.ios, sdkVersion: '26.1' } }, 1);
  const approaching = { type: 'store_rule.approaching', buildId, ruleId: saved.id } as const;
  await eventQueries(slipway.data).dispatch(
    found?.id ?? '',
    approaching,
    Date.parse(first.build.uploaded_at),
  );
  await settleOutbox(slipway);
  const { checks: results } = await show('getBuildChecks', { ...app, revision: 1 });
  const check = results.find(({ id }: { id: string }) => id === saved.id);
  expected.push(['store_rule.approaching', { ...(await withBuild(1)), check }]);

  await change('updateBuild', 200, { ...app, revision: 1 }, { label: 'candidate' });
  expected.push(['build.edited', await withBuild(1)]);

  await upload('Faster charts');
  const second = await withBuild(2);
  expected.push(
    ['build.uploaded', { ...second, build: maybeVerified(second.build), page: null }],
    ['build.verified', second],
  );
  await change('publishBuild', 200, { accessKey }, { revision: 2, release_note: 'Faster charts' });
  expected.push(['page.published', await served(2)]);
  await change('rollBackPage', 200, { accessKey }, { revision: 1 });
  expected.push(['page.rolled_back', await served(1)]);
  await change('updatePage', 200, { accessKey }, { release_note: 'A banner for storms and floods' });
  expected.push(['page.note_changed', await served(1)]);
  await change('updatePage', 200, { accessKey }, { feedback: true });
  expected.push(['page.edited', await served(1)]);
  await change('withdrawPageBuild', 204, { accessKey, revision: 2 });
  expected.push(['page.build_withdrawn', { ...(await served(1)), build: (await withBuild(2)).build }]);
  const beta = await change('createPage', 201, app, { name: 'beta', revision: 1 });
  expected.push(['page.created', await served(1, beta.key)]);
  await change('deletePage', 204, { accessKey: beta.key });
  expected.push(['page.deleted', { app: await show('getApp', app), page: beta }]);

  const { cookie, csrf } = await anonymousForm(slipway);
  const fields = { csrf, text: 'It stops after the login', email: '', revision: '1', website: '' };
  const form = multipart(Object.entries(fields).map(([name, value]) => ({ name, value })));
  const sent = await send(slipway.port, `/distributions/${accessKey}/feedback`, {
    method: 'POST',
    headers: { 'Content-Type': form.contentType, Accept: 'text/html', Cookie: cookie },
    body: form.body,
  });
  expect(sent.status, sent.text).toBe(303);
  await settleOutbox(slipway);
  const [feedback] = (await show('listFeedback', app)).data;
  expected.push(['feedback.created', { ...(await served(1)), feedback }]);

  await change('deleteBuild', 204, { ...app, revision: 2 });
  const deleted = { revisions: [2], count: 1, by: 'admin', app_deleted: false };
  expected.push(['build.deleted', { app: await show('getApp', app), deleted }]);
  await change('restoreBuilds', 200, app, { revisions: [2] });
  expected.push(['build.restored', await withBuild(2)]);

  const bundle = { owner, platform: 'android', package: 'com.example.bundle', revision: 1 };
  await uploaded(slipway, { owner, file: buildBundle({ isDamaged: true }) });
  await settleOutbox(slipway);
  const failed = { app: await show('getApp', bundle), build: await show('getBuild', bundle) };
  expected.push(
    // It may have been converting already.
    ['build.uploaded', { ...failed, build: { ...failed.build, apk: expect.any(Object) }, page: null }],
    ['build.conversion_failed', failed],
  );

  await registerLikeIos(slipway, accessKey);
  await settleOutbox(slipway);
  const [device] = (await show('listDevices', { owner })).data;
  expected.push(['device.registered', { device }]);
  await change('deleteDevice', 204, { owner, device: device.id });
  expected.push(['device.removed', { device }]);

  await slipway.user('mina');
  await change('addPeople', 200, { owner }, { logins: ['mina'], team: 'tester' });
  expected.push(['member.added', { person: await show('getPerson', { owner, person: 'mina' }) }]);
  await change('updatePerson', 200, { owner, person: 'mina' }, { team: 'developer' });
  expected.push(['member.changed', { person: await show('getPerson', { owner, person: 'mina' }) }]);
  await change('removePerson', 204, { owner, person: 'mina' });
  expected.push(['member.removed', { person: { name: 'mina', teams: [] } }]);

  const issued = await change('createKey', 201, { owner }, { name: 'CI', scopes: ['upload'] });
  expected.push(['key.created', { key: issued.key }]);
  await change('revokeKey', 204, { owner, key: issued.key.id });
  expected.push(['key.revoked', { key: await show('getKey', { owner, key: issued.key.id }) }]);

  const rules = [{ claim: 'repository', equals: 'acme/tide' }];
  const trusted = { name: 'Release', provider: 'github', rules };
  const publisher = await change('createTrustedPublisher', 201, { owner }, trusted);
  expected.push(['trusted_publisher.created', { trusted_publisher: publisher }]);
  const one = { owner, publisher: publisher.id };
  const renamed = await change('updateTrustedPublisher', 200, one, { name: 'Nightly' });
  expected.push(['trusted_publisher.changed', { trusted_publisher: renamed }]);
  await change('resetTrustedPublisherPins', 200, one);
  expected.push(['trusted_publisher.changed', { trusted_publisher: renamed }]);
  await change('deleteTrustedPublisher', 204, one);
  expected.push(['trusted_publisher.deleted', { trusted_publisher: renamed }]);
  return expected;
}
