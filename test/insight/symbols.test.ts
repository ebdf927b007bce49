/** Symbol files beside builds: whether they belong to a build, and who may store and read how many of them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { createRemovalHandlers } from '../../src/apps/deletion/purge-deleted.ts';
import { maxSymbolFilesPerBuild } from '../../src/insight/symbols/symbol-files.ts';
import { checkFiles } from '../../src/operations/verify-stored-files.ts';
import {
  buildId,
  dsymZip,
  elf,
  machO,
  mapId,
  mapping,
  nativeZip,
  otherUuid,
  uuid,
} from '../packages/symbol-fixtures.ts';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { buildDex } from '../support/build-dex.ts';
import { buildIpa } from '../support/build-ipa.ts';
import type { ZipEntrySpec } from '../support/build-zip.ts';
import { json, openRaw, send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { streamingStores } from '../support/stores.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

interface SymbolFileJson {
  id: string;
  kind: string;
  file_name: string;
  size: number;
  sha256: string | null;
  url: string;
  matches: boolean | null;
}

describe.each(streamingStores)('symbol files beside a build on $dialect and $blobs', (stores) => {
  let slipway: TestService;
  let admin: BrowserSession;
  beforeAll(async () => {
    slipway = await startTestService(stores);
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway.close());
  const pathOf = (platform: string, name: string, revision: number) =>
    `/api/v1/apps/admin/${platform}/${name}/builds/${revision}/symbols`;
  const add = (
    path: string,
    content: Buffer,
    options: { key?: string; fileName?: string; field?: string } = {},
  ) => {
    const { contentType, body } = multipart([
      { name: options.field ?? 'file', content, fileName: options.fileName ?? 'symbols.zip' },
    ]);
    const headers = { ...bearer(options.key ?? slipway.adminKey), 'Content-Type': contentType };
    return send(slipway.port, path, { method: 'POST', headers, body });
  };
  const added = async (path: string, content: Buffer, fileName?: string) => {
    const answer = await add(path, content, fileName === undefined ? {} : { fileName });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return json<SymbolFileJson>(answer);
  };
  const list = async (path: string) =>
    json<{ data: SymbolFileJson[] }>(await send(slipway.port, path, { headers: bearer(slipway.adminKey) }))
      .data;
  const download = (url: string, headers: Record<string, string> = {}) =>
    send(slipway.port, url.slice(slipway.origin.length), {
      headers: { ...bearer(slipway.adminKey), ...headers },
    });
  const symbolBlobs = async () =>
    (await slipway.leftBehind()).blobs.filter((key) => key.startsWith('symbols/'));
  const ownerId = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const appNamed = async (name: string) => {
    const [app] = await slipway.data.apps.findAppsByPackageName(await ownerId('admin'), name);
    return app?.id ?? '';
  };
  let versionCode = 100;
  const newApk = async (extraEntries: ZipEntrySpec[] = []) => {
    const { package_name: name, revision } = await uploaded(slipway, {
      file: buildApk({ versionCode: versionCode++, extraEntries }),
    });
    await slipway.service.outbox.idle();
    return { name, revision, path: pathOf('android', name, revision) };
  };
  const issue = async (ownerName: string, scopes: ('read' | 'upload' | 'manage')[]) =>
    (
      await createIssueKey({ data: slipway.data, now: Date.now })({
        ownerKind: 'user',
        ownerName,
        name: 'test',
        expiresAt: null,
        by: 'command-line',
        notify: false,
        scopes,
      })
    ).key;

  it('match the UUIDs of an IPA, or do not', async () => {
    const file = buildIpa({ executable: machO(uuid, 2) });
    const { package_name: name, revision } = await uploaded(slipway, { file });
    await slipway.service.outbox.idle();
    const path = pathOf('ios', name, revision);
    const right = await added(path, dsymZip(uuid, otherUuid), 'C:\\builds\\Tide.dSYM.zip');
    expect(right).toMatchObject({
      kind: 'dsym',
      file_name: 'Tide.dSYM.zip',
      matches: true,
      binaries: [
        { id: uuid, matches: true },
        { id: otherUuid, matches: false },
      ],
    });
    expect(await added(path, dsymZip(otherUuid))).toMatchObject({ matches: false });
    expect(await added(path, mapping())).toMatchObject({ kind: 'mapping', matches: null });
    const files = await list(path);
    expect(files.map(({ matches }) => matches)).toEqual([true, false, null]);
    const damaged: { key: string; reason: string }[] = [];
    const check = { data: slipway.data, blobs: slipway.blobs, bytesPerSecond: Number.POSITIVE_INFINITY };
    await checkFiles({ ...check, onDamaged: (file) => damaged.push(file) });
    expect(damaged).toEqual([]);
    const page = (await admin.get(`/users/admin/platforms/ios/apps/${name}/binaries/${revision}/symbols`))
      .text;
    for (const text of ['Tide.dSYM.zip', 'Matches', 'Does not match', uuid]) expect(page).toContain(text);
  });

  it('match the mapping and the libraries of an APK', async () => {
    const marker = `~~R8{"backend":"dex","pg-map-id":"${mapId}","version":"8.8.27"}\0`;
    const dex = Buffer.concat([buildDex([{ name: 'a.a', units: 1 }]), Buffer.from(marker)]);
    const { path } = await newApk([
      { name: 'classes2.dex', content: dex },
      { name: 'lib/arm64-v8a/libtide.so', content: elf(buildId) },
    ]);
    expect(await added(path, mapping())).toMatchObject({ kind: 'mapping', matches: true });
    expect(await added(path, mapping('1234567'))).toMatchObject({ matches: false });
    expect(await added(path, nativeZip())).toMatchObject({ kind: 'native', matches: true });
    expect(await added(path, nativeZip('ff'.repeat(20)))).toMatchObject({ matches: false });
  });

  it('are read back as they were sent, and deleted', async () => {
    const { path, name, revision } = await newApk();
    const file = await added(path, mapping());
    expect(file).toMatchObject({
      size: mapping().length,
      sha256: createHash('sha256').update(mapping()).digest('hex'),
    });
    const answer = await download(file.url);
    expect(answer.body).toEqual(mapping());
    expect(answer.headers['content-disposition']).toContain('symbols.zip');
    expect((await download(file.url, { Range: 'bytes=2-9' })).text).toBe('compiler');
    const before = await slipway.leftBehind();
    const removed = await send(slipway.port, `${path}/${file.id}`, {
      method: 'DELETE',
      headers: bearer(slipway.adminKey),
    });
    expect([removed.status, await list(path)]).toEqual([204, []]);
    const { blobs } = await slipway.leftBehind();
    expect(before.blobs.filter((key) => !blobs.includes(key))).toHaveLength(1);
    expect((await download(file.url)).status).toBe(404);
    const audit = (await admin.get('/users/admin/audit')).text;
    expect(audit).toContain('deleted symbols of the build');
    expect(audit).toContain(`${name} #${revision} (Android)`);
  });

  it('are uploaded and deleted by the page', async () => {
    const { name, revision, path } = await newApk();
    const page = `/users/admin/platforms/android/apps/${name}/binaries/${revision}/symbols`;
    const csrf = /name="csrf" value="([^"]*)"/.exec((await admin.get(page)).text)?.[1] ?? '';
    const post = (content: Buffer) => {
      const { contentType, body } = multipart([
        { name: 'csrf', value: csrf },
        { name: 'file', content, fileName: 'mapping.txt' },
      ]);
      const headers = { 'Content-Type': contentType, Accept: 'text/html', Cookie: admin.cookie };
      return send(slipway.port, `${page}/upload`, { method: 'POST', headers, body });
    };
    expect((await post(mapping())).headers.location).toBe(`${page}?done=added`);
    const refused = await post(buildApk());
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('contains no symbols')]);
    const [file] = await list(path);
    const deleted = await postForm(slipway, `${page}/${file?.id}/delete`, { csrf }, { Cookie: admin.cookie });
    expect([deleted.status, await list(path)]).toEqual([303, []]);
  });

  it('are stored once when the same file is sent again, also at the same time', async () => {
    const { path } = await newApk();
    const before = await symbolBlobs();
    const answers = await Promise.all([1, 2, 3].map(() => added(path, mapping())));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await list(path)).toHaveLength(1);
    expect(await symbolBlobs()).toHaveLength(before.length + 1);
  });

  it('of an app bundle include the mapping in it, without a copy', async () => {
    const content = Buffer.concat([mapping(), Buffer.alloc(300_000, 'com.example.Other -> b.b:\n')]);
    const file = buildBundle({
      files: { 'BUNDLE-METADATA/com.android.tools.build.obfuscation/proguard.map': content },
      uncompressed: 'x',
    });
    const { package_name: name, revision } = await uploaded(slipway, { file });
    await slipway.service.outbox.idle();
    const before = await slipway.leftBehind();
    const [found] = await list(pathOf('android', name, revision));
    expect(found).toMatchObject({
      id: 'bundle-mapping',
      kind: 'mapping',
      size: content.length,
      matches: true,
    });
    const url = found?.url ?? '';
    expect((await download(url)).body.equals(content)).toBe(true);
    const part = await download(url, { Range: 'bytes=200000-200099' });
    expect([part.status, part.text]).toEqual([206, content.toString('latin1', 200_000, 200_100)]);
    expect(await slipway.leftBehind()).toEqual(before);
    const page = `/users/admin/platforms/android/apps/${name}/binaries/${revision}/symbols`;
    expect((await admin.get(page)).text).toContain('proguard.map');
    const other = await newApk();
    expect(
      (await download(url.replace(`/binaries/${revision}/`, `/binaries/${other.revision}/`))).status,
    ).toBe(404);
  });

  it('are for people who manage the app, with a key of the right scope', async () => {
    const { path, name } = await newApk();
    const file = await added(path, mapping());
    const before = await symbolBlobs();
    const stranger = await slipway.user('stranger');
    await slipway.user('tester');
    await slipway.data.appTesters.add({
      appId: await appNamed(name),
      userId: await ownerId('tester'),
      limit: 9,
      now: Date.now(),
    });
    const ofTester = await issue('tester', ['read', 'upload', 'manage']);
    const seen = await send(slipway.port, path.replace('/symbols', ''), { headers: bearer(ofTester) });
    expect(seen.status).toBe(200);
    for (const key of [stranger, ofTester]) {
      expect((await add(path, nativeZip(), { key })).status).toBe(404);
      expect((await send(slipway.port, path, { headers: bearer(key) })).status).toBe(404);
      const got = await send(slipway.port, file.url.slice(slipway.origin.length), { headers: bearer(key) });
      expect(got.status).toBe(404);
      const gone = await send(slipway.port, `${path}/${file.id}`, { method: 'DELETE', headers: bearer(key) });
      expect(gone.status).toBe(404);
    }
    const asTester = await signIn(slipway, 'tester');
    const page = await asTester.get(file.url.slice(slipway.origin.length).replace(`/${file.id}/file`, ''));
    expect([page.status, page.text]).toEqual([200, expect.not.stringContaining(file.id)]);
    const readOnly = await issue('admin', ['read']);
    expect((await add(path, nativeZip(), { key: readOnly })).status).toBe(403);
    expect((await send(slipway.port, path)).status).toBe(401);
    expect((await send(slipway.port, file.url.slice(slipway.origin.length))).status).not.toBe(200);
    const other = await newApk();
    const foreign = await send(slipway.port, `${other.path}/${file.id}`, {
      method: 'DELETE',
      headers: bearer(slipway.adminKey),
    });
    expect(foreign.status).toBe(404);
    expect(await list(path)).toHaveLength(1);
    expect(await symbolBlobs()).toEqual(before);
  });

  it('are refused if they are of no kind, damaged, too large or too many, and leave nothing', async () => {
    const { path } = await newApk();
    const before = await slipway.leftBehind();
    const refusals: [Buffer, number, RegExp][] = [
      [buildApk(), 400, /contains no symbols/],
      [Buffer.from('PK\x03\x04 and no more'), 400, /cannot be read/],
      [Buffer.alloc(0), 400, /Choose a file/],
    ];
    for (const [content, status, message] of refusals) {
      const answer = await add(path, content);
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)]);
    }
    expect((await add(path, mapping(), { field: 'other' })).status).toBe(400);
    slipway.config.limits.maxUploadBytes = 1000;
    const large = await add(path, Buffer.concat([mapping(), Buffer.alloc(2000, ' ')]));
    expect([large.status, large.text]).toEqual([413, expect.stringContaining('the limit is 1000 B')]);
    const connection = await openRaw(slipway.port);
    await connection.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${slipway.adminKey}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 90000\r\nExpect: 100-continue\r\n\r\n`,
    );
    const announced = await connection.answer();
    expect([announced.status, announced.interim]).toEqual([413, []]);
    connection.destroy();
    slipway.config.limits.maxUploadBytes = 1024 * 1024 * 1024;
    expect(await slipway.leftBehind()).toEqual(before);
    for (let index = 0; index < maxSymbolFilesPerBuild; index++)
      await added(path, mapping(String(1_000_000 + index)));
    const more = await add(path, mapping('2000000'));
    expect([more.status, more.text]).toEqual([409, expect.stringContaining('at most 50')]);
    expect(await list(path)).toHaveLength(maxSymbolFilesPerBuild);
  });

  it('count toward the quota, and are refused when it is reached', async () => {
    const { path } = await newApk();
    const owner = await ownerId('admin');
    const { bytes } = await slipway.data.quotas.usageOf(owner);
    const room = { maxStorageBytes: bytes + 1000, maxBuilds: null, maxProjects: null };
    await slipway.data.quotas.set(owner, room);
    const padded = (length: number, id: string) => Buffer.concat([mapping(id), Buffer.alloc(length, '\n')]);
    await added(path, padded(400, '1111111'));
    expect((await slipway.data.quotas.usageOf(owner)).bytes).toBe(bytes + padded(400, '1111111').length);
    const before = await slipway.leftBehind();
    const answers = await Promise.all(['2222222', '3333333'].map((id) => add(path, padded(300, id))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect((await add(path, padded(5000, '4444444'))).status).toBe(403);
    expect((await slipway.leftBehind()).blobs).toHaveLength(before.blobs.length + 1);
    await slipway.data.quotas.set(owner, { ...room, maxStorageBytes: null });
  });

  it('leave nothing when the connection is cut', async () => {
    const { path } = await newApk();
    const before = await slipway.leftBehind();
    const { contentType, body } = multipart([
      { name: 'file', content: Buffer.concat([mapping(), Buffer.alloc(100_000, '\n')]), fileName: 'a' },
    ]);
    const connection = await openRaw(slipway.port);
    await connection.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${slipway.adminKey}\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await connection.write(body.subarray(0, 50_000));
    connection.destroy();
    await connection.closed;
    await expect.poll(() => slipway.leftBehind()).toEqual(before);
  });

  it('are refused for a build that is deleted while they arrive', async () => {
    const { path, name, revision } = await newApk();
    const { contentType, body } = multipart([{ name: 'file', content: mapping(), fileName: 'a' }]);
    const connection = await openRaw(slipway.port);
    await connection.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${slipway.adminKey}\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await expect.poll(() => connection.unread().toString()).toContain('100 Continue');
    const before = await slipway.leftBehind();
    const deleted = await send(slipway.port, path.replace('/symbols', ''), {
      method: 'DELETE',
      headers: bearer(slipway.adminKey),
    });
    expect([deleted.status, name, revision]).toEqual([204, name, revision]);
    await connection.write(body);
    expect((await connection.answer()).status).toBe(404);
    connection.destroy();
    expect((await slipway.leftBehind()).blobs).toEqual(before.blobs);
  });

  it('are removed with their build, and with their app', async () => {
    const before = await symbolBlobs();
    const builds = [await newApk(), await newApk()];
    for (const { path } of builds) await added(path, mapping());
    expect(await symbolBlobs()).toHaveLength(before.length + 2);
    const [first = builds[0]] = builds;
    const headers = bearer(slipway.adminKey);
    const address = first?.path.replace('/symbols', '') ?? '';
    expect((await send(slipway.port, address, { method: 'DELETE', headers })).status).toBe(204);
    const appId = await appNamed(first?.name ?? '');
    const [deleted] = await slipway.data.buildDeletion.listDeleted(appId, 0, 1);
    const job = { buildId: deleted?.build.id ?? '', deletedAt: deleted?.deletedAt ?? 0 };
    const handlers = createRemovalHandlers({ data: slipway.data, blobs: slipway.blobs, now: Date.now });
    await handlers['remove-build']({ kind: 'remove-build', ...job }, await ownerId('admin'));
    slipway.service.outbox.wake();
    expect(await symbolBlobs()).toHaveLength(before.length + 1);
    const app = address.replace(/\/builds\/.*/, '');
    expect((await send(slipway.port, app, { method: 'DELETE', headers })).status).toBe(204);
    const ofOtherApps = (await symbolBlobs()).filter((key) => !before.includes(key));
    expect(ofOtherApps).toEqual([]);
    expect(await slipway.data.quotas.countWrongTotals()).toBe(0);
  });
});
