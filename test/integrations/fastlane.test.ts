/** The fastlane plugin on the machine's Ruby, with a stand-in for fastlane, against a server. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failConditions, uploadInputs } from '../../src/commands/uploader/upload-inputs.ts';
import { stepOutputNames } from '../../src/commands/uploader/upload-outputs.ts';
import { checkNames } from '../../src/insight/checks/check-result.ts';
import { buildApk } from '../support/build-apk.ts';
import { createInstallation, type Installation, type RunningServer } from '../support/run-cli.ts';
import { uploadFailingPackage } from './failing-package.ts';
import { commandInLog, type FrontServer, startFrontServer } from './front-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const plugin = join(root, 'integrations/fastlane');
const hasRuby = spawnSync('ruby', ['--version']).status === 0;
const key = 'key-of-the-fastlane-lane';
const hostile = '-n "Fix" $HOME `id` #{1 + 1} 100% <b> é\r\n--x';

const conditionsMessage = new RegExp(`^fail_on must list ${failConditions.join(', ')}, `);

interface LaneEnd {
  error?: string;
  outputs?: Record<string, unknown>;
  context: Record<string, unknown>;
  log: string[];
  names: string[];
  shared: string[];
  text: string;
}

describe.runIf(hasRuby)('the fastlane plugin (needs ruby)', () => {
  let slipway: Installation;
  let server: RunningServer;
  let front: FrontServer;
  let file: string;

  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    server = await slipway.serve({ environment: { SLIPWAY_ADMIN_API_KEY: key } });
    front = await startFrontServer(server.origin, key);
    const folder = join(slipway.folder, 'lane');
    mkdirSync(folder);
    file = join(folder, 'app "1".apk');
    writeFileSync(file, buildApk({ packageName: 'com.example.lane', fillerBytes: 3_000_000 }));
  });
  afterAll(async () => {
    await front.close();
    await server.stop();
    await slipway.remove();
  });
  beforeEach(() => {
    front.uploads.length = 0;
    front.exchanges.length = 0;
  });

  const lane = async (
    params: Record<string, unknown>,
    env: Record<string, string> = {},
    context: Record<string, unknown> = {},
  ): Promise<LaneEnd> => {
    const child = spawn('ruby', [join(root, 'test/integrations/fastlane-stub.rb'), join(plugin, 'lib')], {
      env: { PATH: process.env.PATH ?? '', HOME: slipway.folder, LANG: 'C.UTF-8', ...env },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    child.stdin.end(JSON.stringify({ params: { server: front.origin, owner: 'admin', ...params }, context }));
    await once(child, 'close');
    expect(text).toMatch(/^\{.*\}\n$/);
    return { ...JSON.parse(text), text };
  };
  /** An app without a build does not exist. */
  const builds = async () => {
    const { code, stdout } = await slipway.run(['build', 'list', 'admin', 'com.example.lane', '--json']);
    return code === 0 ? stdout.trim().split('\n').length : 0;
  };

  it('uploads a file with its page, and returns the outputs to the lane', async () => {
    const before = await builds();
    const end = await lane({ file, key, page: 'fastlane', message: hostile, notify: false });
    expect(end.error).toBeUndefined();
    expect(end.outputs).toMatchObject({ revision: before + 1, size: readFileSync(file).length });
    expect(end.outputs?.page_url).toMatch(/\/distributions\/[0-9a-f]+$/);
    expect(end.context.SLIPWAY_PAGE_URL).toBe(end.outputs?.page_url);
    expect(end.log.at(-1)).toContain(String(end.outputs?.page_url));
    const { results } = JSON.parse(String(end.outputs?.json));
    expect(results.message).toBe(hostile);
    expect(results.distribution.title).toBe('fastlane');
    expect(Number(front.uploads[0]?.length)).toBeGreaterThan(results.file_size);
    expect(await builds()).toBe(before + 1);
    expect(end.text).not.toContain(key);
  });

  it('takes the file that the lane built, and inputs from the environment', async () => {
    const environment = { SLIPWAY_API_KEY: key, SLIPWAY_MESSAGE: 'from CI', SLIPWAY_NOTIFY: 'false' };
    const context = { PLATFORM_NAME: 'android', GRADLE_APK_OUTPUT_PATH: file, IPA_OUTPUT_PATH: '' };
    const end = await lane({}, environment, context);
    expect(end.error).toBeUndefined();
    expect(JSON.parse(String(end.outputs?.json)).results.message).toBe('from CI');
  });

  it('exchanges an ID token if there is no key', async () => {
    const end = await lane({ file }, { SLIPWAY_ID_TOKEN: 'header.payload.signature' });
    expect(end.error).toBeUndefined();
    expect(front.exchanges).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: 'header.payload.signature',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        resource: 'admin',
      },
    ]);
    const refused = await lane({ file }, { SLIPWAY_ID_TOKEN: 'refused.id.token' });
    expect(refused.error).toBe(
      `${front.origin} refused the ID token: No publisher: # #[set-output name=a]b\n: :error::c (400)`,
    );
  });

  it('prints no commands to CI systems, whatever a server answers and files are called', async () => {
    const named = join(slipway.folder, 'lane', '##[a]\n::error::b.apk');
    writeFileSync(named, readFileSync(file));
    front.faults.push('hostile');
    const end = await lane({ file: named, key, fail_on: 'install' });
    expect(end.error).toContain('Nobody can install this build');
    expect(end.log).toHaveLength(3);
    for (const text of [end.error ?? '', ...end.log]) expect(text).not.toMatch(commandInLog);
    const missing = await lane({ file: join(slipway.folder, 'none\n::error::b.apk'), key });
    expect(missing.error).not.toMatch(commandInLog);
  });

  it('makes one build when the connection breaks and the server is busy', async () => {
    const before = await builds();
    front.faults.push('cut', 'busy', 'confused');
    const end = await lane({ file, key });
    expect(end.error).toBeUndefined();
    expect(front.uploads).toHaveLength(4);
    expect(new Set(front.uploads.map((upload) => upload.key)).size).toBe(1);
    expect(await builds()).toBe(before + 1);
  });

  it('waits for the checks of the server, and fails with those that fail_on names', async () => {
    const checked = await uploadFailingPackage(slipway.folder, server.origin, key);
    const end = await lane({ file: checked, key, fail_on: 'size,store' });
    expect(end.error).toMatch(/^Target API level \d+ or higher: The build targets API level 30\. [^\n]*$/);
    expect(end.context.SLIPWAY_REVISION).toBe(2);
    expect((await lane({ file: checked, key, fail_on: 'size' })).error).toBeUndefined();
    front.faults.push('none', 'busy', 'busy', 'busy', 'busy');
    const unknown = await lane({ file: checked, key, fail_on: 'store' });
    expect(unknown.error).toMatch(/^The checks are not known: .* \(503\)$/);
  });

  it.each([
    ['a wrong key', { key: 'slw_wrong' }, {}, /\(401\)$/],
    ['no credential', {}, {}, /^No key and no ID token: set SLIPWAY_API_KEY/],
    [
      'a token that is none',
      {},
      { SLIPWAY_ID_TOKEN: 'secret-text' },
      /^The ID token is not a JSON Web Token$/,
    ],
    ['an owner that does not exist', { key, owner: 'nobody/../x' }, {}, /\(40[34]\)$/],
    ['no file', { key, file: '/nowhere.apk' }, {}, /^No file at \/nowhere\.apk$/],
    [
      'another kind of file',
      { key, file: '/etc/hostname' },
      {},
      /^file must be one of \.ipa, \.apk, \.aab, \.apks/,
    ],
    [
      'an address without a scheme',
      { key, server: 'apps.example.com' },
      {},
      /^server must be an address such as/,
    ],
    [
      'a user name in the address',
      { key, server: 'https://a:b@x' },
      {},
      /^server must not contain a user name/,
    ],
    [
      'a server that is none',
      { key, server: 'http://127.0.0.1:9' },
      {},
      /^http:\/\/127\.0\.0\.1:9 cannot be reached/,
    ],
    ['a condition that is none', { key, fail_on: 'sizes' }, {}, conditionsMessage],
    [
      'a key for another server',
      {},
      { SLIPWAY_API_KEY: key, SLIPWAY_URL: 'https://apps.example.com' },
      /^The key of the environment is for https:\/\/apps\.example\.com and is not sent to/,
    ],
  ])('refuses %s with a sentence, and leaves no build', async (_case, params, environment, message) => {
    const before = await builds();
    const end = await lane({ file, ...params }, environment);
    expect(end.error).toMatch(message);
    expect(end.outputs).toBeUndefined();
    expect(end.text).not.toMatch(/key-of-the-fastlane-lane|slw_wrong|secret-text/);
    expect(await builds()).toBe(before);
  });

  it('has the inputs and outputs of every integration, in its README as well', async () => {
    const { names, shared } = await lane({ file, key });
    const inputs = Object.entries(uploadInputs).filter(
      ([name, { environment }]) => environment && name !== 'trusted',
    );
    const expected = [...inputs.map(([name]) => name), 'key'].filter(
      // Only the uploader speaks to the APIs of forges, and uploads symbols.
      (name) => !['comment', 'pull-request', 'status', 'symbols'].includes(name),
    );
    expect(names.sort()).toEqual(expected.map((name) => name.replaceAll('-', '_')).sort());
    expect(shared).toEqual(
      stepOutputNames.map((name) => `SLIPWAY_${name.toUpperCase().replaceAll('-', '_')}`),
    );
    const readme = readFileSync(join(plugin, 'README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual([...names, ...shared]);
    expect(readme).toContain(checkNames.map((category) => `\`${category}\``).join(', '));
  });

  it('is a gem', () => {
    const args = ['build', 'fastlane-plugin-slipway.gemspec', '--output', join(slipway.folder, 'plugin.gem')];
    const { status, stdout } = spawnSync('gem', args, { cwd: plugin, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Name: fastlane-plugin-slipway')]);
  });
});
