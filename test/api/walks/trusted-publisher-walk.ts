import { expect } from 'vitest';
import { publisherLimits } from '../../../src/accounts/trusted-publishing/trusted-publisher.ts';
import { buildApk } from '../../support/build-apk.ts';
import { uploaded } from '../../support/interface-client.ts';
import type { Walk } from './walk.ts';

const release = {
  name: 'Release',
  provider: 'github',
  rules: [
    { claim: 'repository', equals: 'acme/tide' },
    { claim: 'environment', one_of: ['production', 'staging'] },
    { claim: 'workflow_ref', prefix: 'acme/tide/.github/workflows/release.yml@' },
  ],
};

export const trustedPublisherWalk: Walk = {
  title: 'adds trusted publishers, changes them, resets their ids and names every refused field',
  run: async ({ slipway, api }) => {
    await slipway.user('tru');
    await slipway.project('trusting', { members: { tru: 'owner' } });
    const place = { owner: 'trusting' };
    const app = { platform: 'ios', package_name: 'com.example.not-yet' };
    const body = { ...release, app, page_name_pattern: 'pr-*' };
    const made = (await api.call('createTrustedPublisher', 201, { params: place, body })).value;
    expect(made).toMatchObject({
      ...body,
      issuer: 'https://token.actions.githubusercontent.com',
      allow_self_hosted: false,
      pinned: {},
      created_by: 'admin',
      last_used_at: null,
      last_refusal: null,
    });
    const one = { params: { ...place, publisher: made.id } };
    expect((await api.call('getTrustedPublisher', 200, one)).value).toEqual(made);
    expect((await api.call('listTrustedPublishers', 200, { params: place })).value.data).toEqual([made]);

    const edits = { name: 'Nightly', app: null, page_name_pattern: null, allow_self_hosted: true };
    const changed = await api.call('updateTrustedPublisher', 200, { ...one, body: edits });
    expect(changed.value).toEqual({ ...made, ...edits });
    const gitlab = {
      provider: 'gitlab',
      issuer: 'https://git.example.com/',
      rules: [{ claim: 'project_path', prefix: 'acme/' }],
      allow_self_hosted: false,
    };
    const moved = await api.call('updateTrustedPublisher', 200, { ...one, body: gitlab });
    expect(moved.value).toMatchObject({ name: 'Nightly', issuer: 'https://git.example.com' });
    expect((await api.call('resetTrustedPublisherPins', 200, { ...one, body: {} })).value).toEqual(
      moved.value,
    );

    const refusedField = async (fields: object, status = 400) => {
      const wanted = { params: place, body: { ...release, ...fields } };
      const { errors } = (await api.call('createTrustedPublisher', status, wanted)).value;
      return errors.map(({ pointer }: { pointer: string }) => pointer).join();
    };
    const rule = { claim: 'repository', equals: 'acme/tide' };
    const ofOther = { provider: 'other', issuer: 'https://ci.example.com/', name: 'Other' };
    expect(await refusedField({ name: 'Nightly' }, 409)).toBe('/name');
    for (const [field, values] of [
      ['name', ['', 'a'.repeat(publisherLimits.nameLength + 1), 'a\u202Eb']],
      [
        'app',
        [
          { platform: 'ios', package_name: 'a b' },
          { platform: 'ios', package_name: '' },
        ],
      ],
      ['page_name_pattern', ['a\u200Bb', '*'.repeat(publisherLimits.pageNamePatternLength + 1)]],
      [
        'issuer',
        [
          'https://token.actions.githubusercontent.com/a/b',
          'https://git.example.com',
          'http://git.example.com/_services/token',
          'https://GIT.example.com/_services/token',
          'https://a@git.example.com/_services/token',
          'https://git.example.com/_services/token?a',
          'not a url',
          `https://${'a'.repeat(publisherLimits.issuerLength)}.example/_services/token`,
        ],
      ],
      [
        'rules',
        [
          [],
          [{ claim: 'environment', equals: 'production' }],
          [rule, { claim: 'aud', equals: 'https://example.com' }],
          [rule, rule],
          [{ claim: 'repository', prefix: 'acme' }],
          [{ claim: 'repository', prefix: '/' }],
          [{ claim: 'repository', prefix: 'https:/' }],
          [{ claim: 'repository', prefix: 'https://' }],
          [{ claim: 'repository', prefix: 'https://github.com/' }],
          [{ claim: 'repository', prefix: 'ssh://git@github.com/acme' }],
          [rule, { claim: 'ref', equals: '' }],
          [rule, { claim: 'ref', equals: ' main' }],
          [rule, { claim: 'ref', one_of: [] }],
          [rule, { claim: 'ref', one_of: Array(publisherLimits.values + 1).fill('a') }],
          [rule, { claim: 'ref', equals: 'a'.repeat(publisherLimits.valueLength + 1) }],
          [rule, { claim: 'a'.repeat(publisherLimits.claimLength + 1), equals: 'a' }],
          [
            rule,
            ...Array.from({ length: publisherLimits.rules }, (_, n) => ({ claim: `c${n}`, equals: 'a' })),
          ],
        ],
      ],
    ] as const)
      for (const value of values)
        expect([value, await refusedField({ [field]: value })]).toEqual([value, `/${field}`]);
    const sub = { claim: 'sub', equals: 'robot' };
    expect(await refusedField({ ...ofOther, rules: [sub] })).toBe('/rules');
    expect(await refusedField({ ...ofOther, rules: [sub, rule], issuer: null })).toBe('/issuer');
    expect(await refusedField({ provider: 'circleci', issuer: 'https://oidc.circleci.com/org/' })).toBe(
      '/issuer,/rules',
    );
    expect(await refusedField({ ...gitlab, allow_self_hosted: true })).toBe('/allow_self_hosted');
    const github = { ...ofOther, issuer: 'https://token.actions.githubusercontent.com', rules: [sub, rule] };
    expect(await refusedField(github)).toBe('/issuer');
    await api.call('createTrustedPublisher', 400, {
      params: place,
      body: { ...release, rules: [{ ...rule, prefix: 'acme/' }] },
    });

    await api.call('createTrustedPublisher', 201, {
      params: place,
      body: { ...ofOther, rules: [sub, rule] },
    });
    const { id: ownerId = '' } = (await slipway.data.owners.findOwner('trusting')) ?? {};
    const [known] = await slipway.data.trustedPublishers.list(ownerId);
    for (let count = 2; known && count < publisherLimits.perOwner; count++)
      await slipway.data.trustedPublishers.insert(ownerId, { ...known, name: `n${count}` }, null, Date.now());
    expect(await refusedField({ name: 'one too many' }, 409)).toBe('/name');

    for (const only of [true, false]) {
      const body = { trusted_publishers_only: only };
      expect((await api.call('updateOwner', 200, { params: place, body })).value).toMatchObject(body);
      expect((await api.call('getOwner', 200, { params: place })).value).toMatchObject(body);
    }
    const { package_name: name } = await uploaded(slipway, {
      file: buildApk({ packageName: 'com.example.only' }),
    });
    const appParams = { owner: 'admin', platform: 'android', package: name };
    const shown = (await api.call('getApp', 200, { params: appParams })).value;
    const required = { params: appParams, body: { trusted_publishers_only: true } };
    expect((await api.call('updateApp', 200, required)).value).toEqual({ ...shown, ...required.body });
    expect((await api.call('getApp', 200, { params: appParams })).value).toMatchObject(required.body);

    await api.call('getTrustedPublisher', 404, { params: { owner: 'admin', publisher: made.id } });
    await api.call('deleteTrustedPublisher', 404, { params: { owner: 'admin', publisher: made.id } });
    await api.call('deleteTrustedPublisher', 204, one);
    await api.call('getTrustedPublisher', 404, one);
    await api.call('updateTrustedPublisher', 404, { ...one, body: {} });
    await api.call('listTrustedPublishers', 403, {
      params: place,
      key: await slipway.projectKey('trusting'),
    });
  },
};
