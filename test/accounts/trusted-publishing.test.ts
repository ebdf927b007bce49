/** Trusted publishers: the ID token of a CI in exchange for a key of 15 minutes, and what it permits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrustedPublisherInput } from '../../src/accounts/trusted-publishing/trusted-publisher-changes.ts';
import { createTrustedPublisherChanges } from '../../src/accounts/trusted-publishing/trusted-publisher-changes.ts';
import { runUpload } from '../../src/commands/uploader/upload-command.ts';
import { buildApk } from '../support/build-apk.ts';
import { json, send } from '../support/http-client.ts';
import { get, upload, uploaded } from '../support/interface-client.ts';
import { asInternet, exchangeToken, startTestIssuer, type TestIssuer } from '../support/test-issuer.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { temporaryFile, testIo } from '../uploader/upload-test-kit.ts';

const audience = 'https://apps.example.com';
const github = 'https://token.actions.githubusercontent.com';
const minute = 60_000;

describe('trusted publishing', () => {
  let slipway: TestService;
  let issuer: TestIssuer;
  let now = Date.UTC(2026, 10, 28, 12);
  let tokens = 0;
  beforeAll(async () => {
    issuer = await startTestIssuer((path) => `https:/${path}`);
    slipway = await startTestService({
      blobs: 'memory',
      now: () => now,
      settings: { SLIPWAY_URL: audience },
      outbound: asInternet(() => issuer.port),
    });
    await slipway.user('olga');
    for (const name of ['crew', 'other']) await slipway.project(name, { members: { olga: 'owner' } });
  });
  afterAll(async () => {
    await slipway.close();
    await issuer.close();
  });

  const ownerNamed = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    if (!owner) throw new Error(`there is no ${name}`);
    return owner;
  };
  const changes = () =>
    createTrustedPublisherChanges({ data: slipway.data, now: () => now, wakeOutbox: () => undefined });
  const actor = async () => {
    const user = await ownerNamed('olga');
    if (user.kind !== 'user') throw new Error('olga is no user');
    return { kind: 'user', user } as const;
  };
  const release: TrustedPublisherInput = {
    name: 'Release',
    app: null,
    pageNamePattern: null,
    provider: 'github',
    issuer: null,
    rules: [{ claim: 'repository', equals: 'Acme/Tide' }],
    allowsSelfHosted: false,
  };
  /** Adds a publisher, and deletes those of earlier tests. */
  const trust = async (input: Partial<TrustedPublisherInput> = {}, owner = 'crew') => {
    const of = await ownerNamed(owner);
    for (const { id } of await slipway.data.trustedPublishers.list(of.id))
      await changes().remove(await actor(), of, id);
    return changes().create(await actor(), of, { ...release, ...input });
  };
  const also = async (input: Partial<TrustedPublisherInput>, owner = 'crew') =>
    changes().create(await actor(), await ownerNamed(owner), { ...release, ...input });
  const tokenOf = (claims: Record<string, unknown> = {}) =>
    issuer.sign({
      iss: github,
      aud: audience,
      sub: 'repo:acme/tide:ref:refs/heads/main',
      jti: `token-${++tokens}`,
      iat: now / 1000,
      exp: now / 1000 + 300,
      repository: 'acme/tide',
      repository_id: '42',
      repository_owner_id: '7',
      event_name: 'push',
      runner_environment: 'github-hosted',
      ref: 'refs/heads/main',
      sha: '1a2b3c4d5e6f70819283746556473829101112aa',
      workflow_ref: 'acme/tide/.github/workflows/release.yml@refs/heads/main',
      run_id: '99',
      actor: 'octocat',
      ...claims,
    });
  const exchange = async (claims: Record<string, unknown> = {}, fields: Record<string, string> = {}) =>
    exchangeToken(slipway.port, await tokenOf(claims), { resource: 'crew', ...fields });
  const publisher = async () => (await slipway.data.trustedPublishers.list((await ownerNamed('crew')).id))[0];

  it('exchanges a token for a key that uploads for 15 minutes, and stores what the token says', async () => {
    await trust();
    const { status, key, answer } = await exchange();
    expect([status, JSON.parse(answer.text)]).toEqual([
      200,
      {
        access_token: key,
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'upload',
      },
    ]);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { revision } = await uploaded(slipway, {
      owner: 'crew',
      key,
      file: buildApk({ packageName: 'com.example.tide' }),
    });
    const app = await slipway.data.apps.findApp((await ownerNamed('crew')).id, 'android', 'com.example.tide');
    const build = await slipway.data.builds.findBuildByRevision(app?.id ?? '', revision);
    expect(build?.source).toEqual({
      provider: 'github',
      repository: 'acme/tide',
      commit: '1a2b3c4d5e6f70819283746556473829101112aa',
      ref: 'refs/heads/main',
      workflow: '.github/workflows/release.yml',
      run_id: '99',
      run_url: 'https://github.com/acme/tide/actions/runs/99',
      actor: 'octocat',
    });
    expect(await publisher()).toMatchObject({
      lastUsedAt: now,
      pinned: { 'acme/tide': { repository_id: '42', repository_owner_id: '7' } },
    });
    const keys = json<{ data: unknown[] }>(await get(slipway, '/api/v1/owners/crew/keys', slipway.adminKey));
    expect(JSON.stringify(keys)).not.toContain('Release');
    expect((await get(slipway, '/api/v1/me', key)).status).toBe(200);
    for (const path of ['/api/v1/owners/crew/apps', '/api/v1/owners/other/apps'])
      expect((await get(slipway, path, key)).status).toBeGreaterThanOrEqual(403);
    expect((await upload(slipway, { owner: 'other', key })).status).toBe(403);
    now += 15 * minute;
    expect((await upload(slipway, { owner: 'crew', key })).status).toBe(401);
  });

  it('serves the uploader, which reports a refusal in its words', async (context) => {
    await trust({ rules: [...release.rules, { claim: 'ref', equals: 'refs/heads/main' }] });
    const path = await temporaryFile(context, 'tide.apk', buildApk({ packageName: 'com.example.uploader' }));
    const run = async (claims: Record<string, unknown>) => {
      const io = testIo({ env: { SLIPWAY_ID_TOKEN: await tokenOf(claims) } });
      const options = ['-o', 'crew', '--server', slipway.origin, '--trusted'];
      return { exitCode: await runUpload([path, ...options], io), said: io.out() + io.err() };
    };
    expect((await run({})).exitCode).toBe(0);
    const refused = await run({ ref: 'refs/heads/evil' });
    expect([refused.exitCode === 0, refused.said]).toEqual([
      false,
      expect.stringContaining('wants ref “refs/heads/main”; the token has “refs/heads/evil”'),
    ]);
  });

  it('accepts a list with one audience from Bitbucket, which writes no other, and from nobody else', async () => {
    const iss = 'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc';
    const repositoryUuid = '{6f4c2a10-0000-4000-8000-000000000001}';
    const rules = [{ claim: 'repositoryUuid', equals: repositoryUuid }];
    await trust({ provider: 'bitbucket', issuer: iss, rules });
    await also({ name: 'GitHub' });
    const bitbucket = { iss, repositoryUuid, workspaceUuid: '{6f4c2a10-0000-4000-8000-000000000002}' };
    expect((await exchange({ ...bitbucket, aud: [audience] })).status).toBe(200);
    const two = [audience, 'https://other.example.com'];
    for (const refused of [{ ...bitbucket, aud: two }, { ...bitbucket, aud: [two] }, { aud: [audience] }])
      expect((await exchange(refused)).status).toBe(400);
  });

  it('is advertised', async () => {
    const metadata = json<Record<string, string[]>>(
      await send(slipway.port, '/.well-known/oauth-authorization-server'),
    );
    expect(metadata.grant_types_supported).toContain('urn:ietf:params:oauth:grant-type:token-exchange');
  });

  it('exchanges each token once, and forgets it when it has expired', async () => {
    await trust();
    const token = await tokenOf();
    const fields = { resource: 'crew' };
    expect((await exchangeToken(slipway.port, token, fields)).status).toBe(200);
    expect(await exchangeToken(slipway.port, token, fields)).toMatchObject({
      status: 400,
      error: 'token_used',
    });
    now += 10 * minute;
    expect(await exchangeToken(slipway.port, token, fields)).toMatchObject({ error: 'token_expired' });
  });

  it('names the claim that differs, and records it', async () => {
    await trust({ rules: [...release.rules, { claim: 'environment', equals: 'production' }] });
    const none = await exchange();
    expect([none.error, none.description]).toEqual([
      'claim_differs',
      'Publisher “Release” wants environment “production”; the token has none.',
    ]);
    expect(await publisher()).toMatchObject({ lastRefusedAt: now, lastRefusal: { code: 'claim_differs' } });
    expect((await exchange({ environment: 'staging' })).description).toContain('“staging”');
    expect((await exchange({ environment: 'production' })).status).toBe(200);
    // A token from elsewhere learns nothing about the publisher.
    const fork = await exchange({ repository: 'mallory/tide' });
    expect([fork.error, fork.description]).toEqual([
      'no_publisher',
      'No trusted publisher of crew accepts tokens of mallory/tide.',
    ]);
    expect(await exchangeToken(slipway.port, await tokenOf(), { resource: 'nobody' })).toMatchObject({
      error: 'invalid_token',
    });
  });

  it('refuses events that run code of others, and self-hosted runners, unless the publisher names them', async () => {
    await trust();
    for (const event_name of ['pull_request_target', 'workflow_run'])
      expect((await exchange({ event_name })).error).toBe('event_refused');
    expect((await exchange({ runner_environment: 'self-hosted' })).error).toBe('self_hosted_runner');
    expect((await exchange({ runner_environment: undefined })).error).toBe('self_hosted_runner');
    await trust({
      allowsSelfHosted: true,
      rules: [...release.rules, { claim: 'event_name', one_of: ['push', 'workflow_run'] }],
    });
    expect((await exchange({ event_name: 'workflow_run', runner_environment: 'self-hosted' })).status).toBe(
      200,
    );
    expect((await exchange({ event_name: 'pull_request_target' })).error).toBe('claim_differs');
  });

  it('belongs to the repository of the first token, whatever its name, until its ids are reset', async () => {
    const { id } = await trust();
    expect((await exchange()).status).toBe(200);
    const recreated = await exchange({ repository: 'ACME/tide', repository_id: '43' });
    expect([recreated.error, recreated.description]).toEqual([
      'pinned_id_differs',
      expect.stringContaining('repository_id “42”; the token has “43”'),
    ]);
    expect((await exchange({ repository_id: undefined })).error).toBe('pinned_id_differs');
    await changes().resetPins(await actor(), await ownerNamed('crew'), id);
    expect((await exchange({ repository_id: '43' })).status).toBe(200);
    expect((await exchange()).error).toBe('pinned_id_differs');
  });

  it('limits the key to the app and the pages of the publisher', async () => {
    const app = { platform: 'android', packageName: 'com.example.only' } as const;
    await trust({ app, pageNamePattern: 'pr-*' });
    const { key } = await exchange();
    const send = (packageName: string, page?: string) =>
      upload(slipway, {
        owner: 'crew',
        key,
        file: buildApk({ packageName }),
        fields: page === undefined ? {} : { distribution_name: page },
      });
    expect((await send('com.example.only', 'pr-7')).status).toBe(200);
    expect((await send('com.example.only')).status).toBe(200);
    const page = await send('com.example.only', 'production');
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('pr-*')]);
    expect((await send('com.example.tide', 'pr-7')).status).toBe(403);
    expect((await exchange({}, { resource: 'crew/ios/com.example.only' })).error).toBe('no_publisher');
    expect((await exchange({}, { resource: 'crew/android/com.example.only' })).status).toBe(200);
    expect((await exchange({}, { resource: 'crew/android' })).error).toBe('invalid_target');
    expect((await exchange({}, { scope: 'manage' })).error).toBe('invalid_scope');
    expect((await exchange({}, { resource: 'crew/ios/com.example/x' })).error).toBe('invalid_target');
    expect((await exchange({}, { resource: 'crew/ios/ ' })).error).toBe('invalid_target');
    expect((await exchange({}, { audience: 'https://other.example.com' })).error).toBe('invalid_target');
    expect((await exchange({}, { actor_token: 'x' })).error).toBe('invalid_request');
    const wanted = (type: string) => ({ requested_token_type: `urn:ietf:params:oauth:token-type:${type}` });
    expect((await exchange({}, wanted('refresh_token'))).error).toBe('invalid_request');
    expect((await exchange({}, wanted('access_token'))).error).toBeUndefined();
  });

  it('chooses the most specific publisher, and asks for the resource if several fit', async () => {
    const app = { platform: 'ios', packageName: 'com.example.tide' } as const;
    await trust({ name: 'any' });
    await also({ name: 'staging', rules: [...release.rules, { claim: 'environment', equals: 'staging' }] });
    const used = async () =>
      (await slipway.data.trustedPublishers.list((await ownerNamed('crew')).id)).find(
        (one) => one.lastUsedAt === now,
      )?.name;
    now += minute;
    expect([(await exchange({ environment: 'staging' })).status, await used()]).toEqual([200, 'staging']);
    now += minute;
    expect([(await exchange()).status, await used()]).toEqual([200, 'any']);
    await also({ name: 'iOS', app });
    await also({ name: 'Android', app: { ...app, platform: 'android' } });
    expect((await exchange()).error).toBe('ambiguous_publisher');
    now += minute;
    expect([(await exchange({}, { resource: 'crew/ios/com.example.tide' })).status, await used()]).toEqual([
      200,
      'iOS',
    ]);
    await trust();
    await trust({}, 'other');
    expect((await exchange({}, { resource: '' })).error).toBe('ambiguous_publisher');
    expect((await exchange({}, { resource: 'OTHER' })).status).toBe(200);
    await trust({ rules: [{ claim: 'repository', equals: 'acme/wave' }] }, 'other');
    expect((await exchange({}, { resource: '' })).status).toBe(200);
  });

  it('ends the keys of a publisher that is changed or deleted, and a key that is given back', async () => {
    const { id } = await trust();
    const crew = await ownerNamed('crew');
    const isUsable = async (key: string) => (await get(slipway, '/api/v1/me', key)).status === 200;
    const first = (await exchange()).key;
    await changes().update(await actor(), crew, id, { name: 'Renamed' });
    expect(await isUsable(first)).toBe(false);
    const [second, third] = [(await exchange()).key, (await exchange()).key];
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await send(slipway.port, '/oauth/revoke', { method: 'POST', headers, body: `token=${second}` });
    expect([await isUsable(second), await isUsable(third)]).toEqual([false, true]);
    await changes().remove(await actor(), crew, id);
    expect(await isUsable(third)).toBe(false);
    expect((await exchange()).error).toBe('invalid_token');
  });

  it('deletes keys and tokens that have expired', async () => {
    await trust();
    await exchange();
    const count = async () =>
      (await slipway.data.keys.listKeys((await ownerNamed('crew')).id, { trusted: true })).length;
    expect(await count()).toBeGreaterThan(0);
    now += 16 * minute;
    slipway.service.outbox.wake();
    await slipway.service.outbox.idle();
    expect(await count()).toBe(0);
    expect((await get(slipway, '/api/v1/me', slipway.adminKey)).status).toBe(200);
  });

  it.each([
    [
      'gitlab',
      {
        provider: 'gitlab',
        issuer: 'https://git.example.com',
        rules: [{ claim: 'project_path', equals: 'acme/tide' }],
      },
      {
        project_path: 'acme/tide',
        project_id: '5',
        namespace_id: '6',
        pipeline_id: '77',
        ref_path: 'refs/heads/main',
        user_login: 'gina',
        ci_config_ref_uri: 'git.example.com/acme/tide//.gitlab-ci.yml@refs/heads/main',
      },
      { repository: 'acme/tide', run_url: 'https://git.example.com/acme/tide/-/pipelines/77', actor: 'gina' },
      { 'acme/tide': { project_id: '5', namespace_id: '6' } },
    ],
    [
      'circleci',
      {
        provider: 'circleci',
        issuer: 'https://oidc.circleci.com/org/0c1',
        rules: [{ claim: 'oidc.circleci.com/project-id', equals: 'p1' }],
      },
      { 'oidc.circleci.com/project-id': 'p1', 'oidc.circleci.com/vcs-origin': 'github.com/acme/tide' },
      { repository: 'github.com/acme/tide', commit: null },
      { p1: { 'oidc.circleci.com/project-id': 'p1' } },
    ],
    [
      'buildkite',
      {
        provider: 'buildkite',
        issuer: 'https://agent.buildkite.com/',
        rules: [
          { claim: 'organization_slug', equals: 'acme' },
          { claim: 'pipeline_slug', equals: 'tide' },
        ],
      },
      {
        organization_slug: 'acme',
        pipeline_slug: 'tide',
        build_number: 12,
        build_commit: 'abc',
        pipeline_id: 'x',
      },
      {
        repository: 'acme/tide',
        commit: 'abc',
        run_id: '12',
        run_url: 'https://buildkite.com/acme/tide/builds/12',
      },
      { 'acme tide': { pipeline_id: 'x' } },
    ],
    [
      'the base of a pull request',
      { rules: [...release.rules, { claim: 'event_name', equals: 'pull_request_target' }] },
      { repository: 'acme/tide', event_name: 'pull_request_target', head_ref: 'fork' },
      { repository: 'acme/tide', ref: 'refs/heads/main' },
      { 'acme/tide': { repository_id: '42', repository_owner_id: '7' } },
    ],
    [
      'a pull request',
      { rules: release.rules },
      { repository: 'acme/tide', ref: 'refs/pull/7/merge', head_ref: 'feature' },
      { repository: 'acme/tide', ref: 'refs/heads/feature' },
      { 'acme/tide': { repository_id: '42', repository_owner_id: '7' } },
    ],
    [
      'every repository of an owner by URL',
      {
        provider: 'bitrise',
        rules: [
          { claim: 'repository_url', prefix: 'https://github.com/acme/' },
          { claim: 'app_slug', equals: '0f3a9c1e' },
        ],
      },
      { repository_url: 'https://github.com/acme/tide', app_slug: '0f3a9c1e' },
      { repository: 'https://github.com/acme/tide' },
      {},
    ],
    [
      'another issuer',
      {
        provider: 'other',
        issuer: 'https://ci.example.com/',
        rules: [
          { claim: 'sub', equals: 'robot' },
          { claim: 'protected', equals: 'true' },
        ],
      },
      { sub: 'robot', protected: true, jti: undefined },
      { repository: 'robot', run_url: null },
      {},
    ],
  ] as const)('knows the claims of %s', async (_name, input, claims, source, pinned) => {
    const { issuer: iss } = await trust(input as Partial<TrustedPublisherInput>);
    const token = await tokenOf({ repository: undefined, ...claims, iss });
    // The discovery document of this issuer has its trailing slash.
    issuer.respond = (request, response) => {
      if (!iss.endsWith('/') || !request.url?.endsWith('openid-configuration')) return false;
      response.end(JSON.stringify({ issuer: iss, jwks_uri: `${iss}.well-known/jwks` }));
      return true;
    };
    const answer = await exchangeToken(slipway.port, token, { resource: 'crew' });
    expect([answer.description, answer.status]).toEqual(['', 200]);
    const [key] = (await slipway.data.keys.listKeys((await ownerNamed('crew')).id, { trusted: true })).slice(
      -1,
    );
    const file = buildApk({ packageName: 'com.example.providers' });
    const { revision } = await uploaded(slipway, { owner: 'crew', key: answer.key, file });
    const app = await slipway.data.apps.findApp(
      (await ownerNamed('crew')).id,
      'android',
      'com.example.providers',
    );
    const build = await slipway.data.builds.findBuildByRevision(app?.id ?? '', revision);
    expect(build?.source).toMatchObject({ provider: (await publisher())?.provider, ...source });
    expect((await publisher())?.pinned).toEqual(pinned);
    expect(key?.scopes).toEqual(['upload']);
    const again = await exchangeToken(slipway.port, token, { resource: 'crew' });
    expect(again.error).toBe('token_used');
  });
});
