/** `slipway bundle`: with the debug key of the computer, and with keystores. */
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode, manifestMessage, tableMessage } from '../packages/bundle/bundle-messages.ts';
import { buildZip } from '../support/build-zip.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';

const keystore = (name: string) =>
  fileURLToPath(new URL(`../packages/signing/keystores/${name}`, import.meta.url));

describe('slipway bundle', () => {
  let slipway: Installation;
  let bundle: string;
  let apk: string;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    bundle = join(slipway.folder, 'app.aab');
    apk = join(slipway.folder, 'app.apk');
    await writeFile(
      bundle,
      buildZip([
        { name: 'BundleConfig.pb', content: encode([1, encode([2, '1.15.6'])]) },
        { name: 'base/manifest/AndroidManifest.xml', content: manifestMessage },
        { name: 'base/resources.pb', content: tableMessage },
      ]),
    );
  });
  afterAll(() => slipway.remove());

  it('signs with one debug key, which only the owner can read', async () => {
    const environment = { XDG_CONFIG_HOME: join(slipway.folder, 'config') };
    const [first] = await slipway.runJson(['bundle', bundle, '--out', apk], { environment });
    const bytes = await readFile(apk);
    const [second] = await slipway.runJson(['bundle', bundle, '--out', apk], { environment });
    expect(first).toMatchObject({ apk, packageName: 'com.example.bundle', versionName: '1.7', warnings: [] });
    expect(second).toEqual(first);
    expect(await readFile(apk)).toEqual(bytes);
    const { mode } = await stat(join(environment.XDG_CONFIG_HOME, 'slipway/debug-key.pem'));
    expect(mode & 0o777).toBe(0o600);
    const [inspected] = await slipway.runJson(['inspect', apk]);
    expect(inspected).toMatchObject({ name: 'Tides \u{1f30a}', signing: { verified: true } });
    const { stdout } = await slipway.run(['bundle', bundle, '--out', apk], { environment });
    expect(stdout).toBe(`${apk}: com.example.bundle 1.7 (7), signed with the debug key of this computer\n`);
  });

  it('signs with a keystore', async () => {
    const [made] = await slipway.runJson(
      ['bundle', bundle, '--out', apk, '--keystore', keystore('two-keys.jks'), '--key-alias', 'two'],
      { environment: { SLIPWAY_KEYSTORE_PASSWORD: 'secret1', SLIPWAY_KEY_PASSWORD: 'secret2' } },
    );
    const [inspected] = await slipway.runJson(['inspect', apk]);
    expect(inspected?.signing).toMatchObject({ certificates: [{ sha256: made?.certificateSha256 }] });
  });

  it.each([
    ['without a password', ['--keystore', keystore('rsa.p12')], {}, 'set SLIPWAY_KEYSTORE_PASSWORD'],
    [
      'with a wrong password',
      ['--keystore', keystore('rsa.p12')],
      { SLIPWAY_KEYSTORE_PASSWORD: 'wrong' },
      'the password of the keystore is wrong',
    ],
  ])('%s says so and leaves the former APK', async (_, args, environment, reason) => {
    await writeFile(apk, 'former');
    const { code, stderr } = await slipway.run(['bundle', bundle, '--out', apk, ...args], { environment });
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
    expect(await readFile(apk, 'utf8')).toBe('former');
  });

  it('refuses a file that is no bundle, and to replace the bundle', async () => {
    const environment = { XDG_CONFIG_HOME: join(slipway.folder, 'config') };
    const other = join(slipway.folder, 'other.aab');
    await writeFile(other, 'text');
    await writeFile(apk, 'former');
    const refused = await slipway.run(['bundle', other, '--out', apk], { environment });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('other.aab: this is')]);
    expect(await readFile(apk, 'utf8')).toBe('former');
    await copyFile(bundle, other);
    const { code, stderr } = await slipway.run(['bundle', other, '--out', other], { environment });
    expect([code, stderr]).toEqual([1, 'slipway: the APK cannot replace the bundle\n']);
  });
});
