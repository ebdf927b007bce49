import { expect } from 'vitest';
import { checkFacts } from '../../../src/insight/checks/check-facts.ts';
import { androidAnalysis, androidInfo, iosInfo } from '../../insight/checks/analyses.ts';
import { buildApk } from '../../support/build-apk.ts';
import { buildBundle } from '../../support/build-bundle.ts';
import { send } from '../../support/http-client.ts';
import { uploaded } from '../../support/interface-client.ts';
import { settleOutbox } from '../../support/mail-service.ts';
import { multipart } from '../../support/multipart-body.ts';
import type { Walk } from './walk.ts';

const pathOf = (url: string) => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

export const appWalk: Walk = {
  title: 'shows apps and builds, and changes a build',
  run: async ({ slipway, api, sigstore }) => {
    const { package_name } = await uploaded(slipway, { file: buildApk({ versionCode: 7 }) });
    const params = { owner: 'admin', platform: 'android', package: package_name };
    const apps = await api.call('listApps', 200, { params: { owner: 'admin' } });
    expect(apps.value.data).toContainEqual(expect.objectContaining({ package_name, last_revision: 1 }));
    expect((await api.call('getApp', 200, { params })).value.package_name).toBe(package_name);
    const builds = await api.call('listBuilds', 200, { params });
    expect(builds.value.data.map(({ revision }: { revision: number }) => revision)).toEqual([1]);
    const build = { params: { ...params, revision: 1 } };
    const shown = await api.call('getBuild', 200, build);
    expect(shown.value).toMatchObject({ revision: 1, version_code: '7', protected: false });
    const changed = await api.call('updateBuild', 200, {
      ...build,
      body: { message: 'Fixes the login', label: 'candidate', protected: true },
    });
    expect(changed.value).toEqual({
      ...shown.value,
      message: 'Fixes the login',
      label: 'candidate',
      protected: true,
    });
    expect((await api.call('getBuild', 200, build)).value).toEqual(changed.value);
    const facts = await api.call('getBuildFacts', 200, build);
    expect(facts.value.android.debuggable).toBe(false);
    expect((await api.call('getCheckSettings', 200, { params })).value.destinations).toEqual([]);
    const goesTo = (
      await api.call('updateCheckSettings', 200, { params, body: { destinations: ['private'] } })
    ).value;
    expect(goesTo).toMatchObject({ destinations: ['private'], default_branch: 'main' });
    await api.call('updateCheckSettings', 400, {
      params,
      body: { fail_above: { bytes: -1, percent: null } },
    });
    expect((await api.call('getBuildChecks', 200, build)).value).toMatchObject({ checks: expect.any(Array) });
    const check = { params: { ...build.params, check: 'new-permissions' } };
    const checked = checkFacts({
      info: androidInfo(),
      analysis: androidAnalysis(),
      previous: { ...{ revision: 1, downloadBytes: 1, installBytes: 1, info: iosInfo(), facts: null } },
      defaultBranch: null,
    });
    // The analysis stores the checks of the build, too.
    await slipway.service.outbox.idle();
    const { data } = slipway;
    const admin = (await data.owners.findOwner('admin'))?.id ?? '';
    const appId = (await data.apps.findApp(admin, 'android', package_name))?.id ?? '';
    await data.checks.store((await data.builds.findBuildByRevision(appId, 1))?.id ?? '', checked, Date.now());
    const accepted = await api.call('acceptCheck', 200, {
      ...check,
      body: { reason: 'Needed for scanning' },
    });
    expect(accepted.value).toMatchObject({ state: 'accepted', acceptance: { by: 'admin' } });
    await api.call('acceptCheck', 404, {
      params: { ...check.params, check: 'other' },
      body: { reason: 'x' },
    });
    await api.call('revokeAcceptance', 200, { ...check, body: {} });
    await api.call('revokeAcceptance', 404, { ...check, body: {} });
    const size = await api.call('getBuildSize', 200, build);
    expect(['waiting', 'analyzed']).toContain(size.value.state);
    await settleOutbox(slipway);
    expect((await api.call('getBuildSbom', 200, build)).value).toMatchObject({ bomFormat: 'CycloneDX' });
    const files = await api.call('getBuildFiles', 200, build);
    const file = await send(slipway.port, pathOf(files.value.package.url));
    expect([file.status, file.body.length]).toEqual([200, files.value.package.size]);

    for (const versionCode of [8, 9])
      await uploaded(slipway, {
        file: buildApk({ versionCode }),
        fields: versionCode === 9 ? { distribution_name: 'main' } : {},
      });
    const filtered = async (query: Record<string, string>) =>
      (await api.call('listBuilds', 200, { params, query })).value.data.map(
        ({ revision }: { revision: number }) => revision,
      );
    expect(await filtered({ version_code: '8' })).toEqual([2]);
    expect(await filtered({ label: 'candidate' })).toEqual([1]);
    expect(await filtered({ sha256: shown.value.sha256 })).toEqual([1]);
    expect(await filtered({ commit: 'abc' })).toEqual([]);
    expect(await filtered({ version_name: '1.0', branch: 'main' })).toEqual([]);
    const compared = await api.call('compareBuilds', 200, { params, query: { from: '1', to: '2' } });
    expect(compared.value.changed).toContainEqual({ fact: 'Version code', from: '7', to: '8' });
    await api.call('compareBuilds', 404, { params, query: { from: '1', to: '77' } });
    await settleOutbox(slipway);
    const libraries = await api.call('compareDependencies', 200, { params, query: { from: '1', to: '2' } });
    expect(libraries.value).toMatchObject({ sources: { from: 'none', to: 'none' }, changed: [] });
    await api.call('compareDependencies', 404, { params, query: { from: '1', to: '77' } });

    const inUse = await api.call('deleteBuilds', 409, { params, body: { revisions: [1, 2, 3] } });
    expect([inUse.value.code, inUse.value.detail]).toEqual([
      'build_in_use',
      'Build 1 is protected; build 3 is served by main.',
    ]);
    await api.call('deleteBuild', 409, build);
    await api.call('deleteBuild', 204, { params: { ...params, revision: 2 } });
    expect(await filtered({})).toEqual([3, 1]);
    const revisions = { params, body: { revisions: [2] } };
    expect((await api.call('restoreBuilds', 200, revisions)).value).toEqual({ revisions: [2] });
    expect((await api.call('protectBuilds', 200, revisions)).value).toEqual({ revisions: [2] });
    const labeled = { params, body: { revisions: [2, 3], label: 'beta' } };
    expect((await api.call('labelBuilds', 200, labeled)).value.revisions.sort()).toEqual([2, 3]);
    expect(await filtered({ label: 'beta' })).toEqual([3, 2]);
    for (const chosen of [[], [0], [1.5], Array.from({ length: 101 }, (_, at) => at + 1)])
      await api.call('deleteBuilds', 400, { params, body: { revisions: chosen } });
    await api.call('updateBuild', 200, { params: { ...params, revision: 2 }, body: { protected: false } });
    expect((await api.call('deleteBuilds', 200, revisions)).value).toEqual({ revisions: [2] });

    const { contentType, body } = multipart([
      { name: 'file', content: buildApk({ versionCode: 10 }), fileName: 'app.apk' },
      { name: 'distribution_name', value: 'main' },
    ]);
    const uploads = await api.call('uploadBuild', 201, {
      params: { owner: 'admin' },
      body,
      headers: { 'Content-Type': contentType },
    });
    expect(uploads.value).toMatchObject({
      app: { package_name, last_revision: 4 },
      build: { revision: 4 },
      page: { name: 'main', revision: 4 },
    });
    expect(uploads.headers.location).toBe(`/api/v1/apps/admin/android/${package_name}/builds/4`);
    const refused = await api.call('uploadBuild', 400, {
      params: { owner: 'admin' },
      body: multipart([{ name: 'file', content: Buffer.from('no package'), fileName: 'a.apk' }]).body,
      headers: { 'Content-Type': contentType },
    });
    expect(refused.value.code).toBe('invalid_params');
    const apk = buildApk({ versionCode: 11 });
    const tus = { 'Tus-Resumable': '1.0.0' };
    await api.call('getUploadOptions', 204);
    const begin = async () => {
      const metadata = `filename ${btoa('app.apk')},owner ${btoa('admin')}`;
      const headers = { ...tus, 'Upload-Length': String(apk.length), 'Upload-Metadata': metadata };
      const { value } = await api.call('createUpload', 201, { headers });
      return { upload: value.id };
    };
    const upload = await begin();
    const chunk = { ...tus, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    const built = await api.call('continueUpload', 200, { params: upload, headers: chunk, body: apk });
    expect(built.value.build.revision).toBe(5);
    const state = await api.call('getUpload', 200, { params: upload });
    expect(state.value).toMatchObject({ offset: apk.length, length: apk.length, result: built.value });
    await api.call('terminateUpload', 204, { params: await begin(), headers: tus });
    const owner = { params: { owner: 'admin' } };
    expect((await api.call('listSigningKeys', 200, owner)).value.data).toEqual([]);
    const { signature } = await uploaded(slipway, { file: buildBundle() });
    expect((await api.call('listSigningKeys', 200, owner)).value.data).toMatchObject([
      { number: 1, origin: 'created', continues: false, subject: 'CN=admin', sha1: signature },
    ]);
    const attestation = sigstore.createBundle({ sha256: shown.value.sha256 });
    const attested = await api.call('attachAttestation', 200, { ...build, body: { attestation } });
    expect(attested.value.attestations).toMatchObject([{ repository: 'https://github.com/acme/tide' }]);
    expect((await api.call('getBuildProvenance', 200, build)).value).toEqual(attested.value);
    const forged = sigstore.createBundle({ sha256: '0'.repeat(64) });
    const other = await api.call('attachAttestation', 400, { ...build, body: { attestation: forged } });
    expect(other.value.code).toBe('attestation_invalid');
    const symbols = multipart([
      { name: 'file', content: Buffer.from('com.example.Tide -> a.a:\n'), fileName: 'mapping.txt' },
    ]);
    const stored = await api.call('uploadSymbolFile', 201, {
      ...build,
      headers: { 'Content-Type': symbols.contentType },
      body: symbols.body,
    });
    expect(stored.value).toMatchObject({ kind: 'mapping', file_name: 'mapping.txt', matches: null });
    expect((await api.call('listSymbolFiles', 200, build)).value.data).toEqual([stored.value]);
    const symbolFile = { params: { ...build.params, symbols: stored.value.id } };
    expect((await api.call('getSymbolFile', 200, symbolFile)).value).toEqual(stored.value);
    await api.call('deleteSymbolFile', 204, symbolFile);
    await api.call('deleteSymbolFile', 404, symbolFile);
    const bundle = { owner: 'admin', platform: 'android', package: 'com.example.bundle' };
    const keys = await api.call('listAppSigningKeys', 200, { params: bundle });
    expect(keys.value.data).toMatchObject([{ number: 1, current: true, registered_at: null }]);
    const appKey = { params: { ...bundle, number: 1 } };
    expect((await api.call('getAppSigningKey', 200, appKey)).value).toEqual(keys.value.data[0]);
    const registered = await api.call('updateAppSigningKey', 200, { ...appKey, body: { registered: true } });
    expect(registered.value).toMatchObject({ number: 1, registered_at: expect.stringMatching(/Z$/) });
    expect((await api.call('getAppSigningKey', 200, appKey)).value).toEqual(registered.value);
    const proof = await api.call('createSigningKeyProof', 200, { ...appKey, body: { token: 'DPAW2Z2O' } });
    expect(Buffer.from(proof.value.content, 'base64').includes('DPAW2Z2O')).toBe(true);
    await api.call('createSigningKeyProof', 400, { ...appKey, body: { token: 'two words' } });
    expect((await api.call('rotateAppSecret', 200, { params, body: {} })).value.secret).toMatch(
      /^[0-9a-f]{40}$/,
    );
  },
};
