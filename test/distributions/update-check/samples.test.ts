/** The samples of docs/in-app-updates.md. The one in TypeScript runs here. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUpdate } from '../../../docs/in-app-updates/update-check.ts';
import { buildApk } from '../../support/build-apk.ts';
import { send } from '../../support/http-client.ts';
import { uploaded } from '../../support/interface-client.ts';
import { signApk } from '../../support/sign-apk.ts';
import { createTestKey } from '../../support/test-key.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const folder = new URL('../../../docs/in-app-updates/', import.meta.url);

describe('the samples', () => {
  let slipway: TestService;
  let page: string;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    const key = createTestKey();
    const publish = async (versionCode: number) => {
      const apk = buildApk({
        packageName: 'com.example.tide',
        versionCode,
        versionName: `1.${versionCode}`,
        minSdk: 24,
      });
      const file = signApk(apk, { v2: [{ key }] });
      const fields = { distribution_name: 'beta', release_note: `Note ${versionCode}` };
      return (await uploaded(slipway, { file, fields })).distribution?.url ?? '';
    };
    await publish(1);
    page = await publish(2);
  });
  afterAll(() => slipway.close());

  const app = { platform: 'android', packageName: 'com.example.tide' } as const;

  it('find an update, and none for the newest build', async () => {
    const update = await findUpdate(page, { ...app, versionCode: '1', versionName: '1.1', osVersion: '34' });
    expect(update).toEqual({
      versionName: '1.2',
      releaseNote: 'Note 2',
      installUrl: expect.stringContaining('/distributions/'),
      mandatory: false,
    });
    const { pathname } = new URL(update?.installUrl ?? '');
    const install = await send(slipway.port, pathname);
    expect([install.status, install.headers.location]).toEqual([303, expect.stringContaining('/file')]);
    expect(await findUpdate(page, { ...app, versionCode: '2' })).toBeNull();
  });

  it('refuse what is no page, and report a closed one', async () => {
    await expect(findUpdate('https://example.com', { ...app, versionCode: '1' })).rejects.toThrow(
      /no.* page/,
    );
    const other = page.replace(/.{40}$/, '0'.repeat(40));
    await expect(findUpdate(other, { ...app, versionCode: '1' })).rejects.toThrow('404');
  });

  it('read only fields that the answer has', async () => {
    const answer = JSON.parse(
      (
        await send(
          slipway.port,
          `/api/v1/pages/${page.slice(-40)}/update?platform=android&package=com.example.tide&version_code=1`,
        )
      ).text,
    );
    const files = readdirSync(folder);
    expect(files.sort()).toEqual([
      'UpdateCheck.kt',
      'UpdateCheck.swift',
      'update-check.ts',
      'update_check.dart',
    ]);
    for (const file of files) {
      const text = readFileSync(new URL(file, folder), 'utf8');
      for (const name of ['update_available', 'latest', 'install']) {
        expect([file, text.includes(name), name in answer]).toEqual([file, true, true]);
      }
      for (const name of ['version_name', 'version_code', 'release_note', 'mandatory'])
        expect([file, text.includes(name), name in answer.latest]).toEqual([file, true, true]);
    }
  });
});
