/** The Gradle plugin: its client on the machine's JDK, its task on Debian's Gradle, against a server. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
const plugin = join(root, 'integrations/gradle');
const sources = join(plugin, 'src/main/java/dev/slipway/upload');
const hasGradle = ['javac', 'gradle'].every((name) => spawnSync('which', [name]).status === 0);
const key = 'key-of-the-gradle-build';
const conditionsMessage = new RegExp(`^failOn must list ${failConditions.join(', ')}, `);
const hostile = '-n "Fix" $HOME `id` 100% <b> é';

/** Signatures of `com.android.tools.build:gradle-api` 8, and of what Gradle 4.4.1 lacks. */
const stubs: Record<string, string> = {
  'com/android/build/api/artifact/SingleArtifact.java': `package com.android.build.api.artifact;
    public abstract class SingleArtifact<T> {
      public static final class APK extends SingleArtifact<org.gradle.api.file.Directory> { public static final APK INSTANCE = new APK(); }
      public static final class BUNDLE extends SingleArtifact<org.gradle.api.file.RegularFile> { public static final BUNDLE INSTANCE = new BUNDLE(); }
    }`,
  'com/android/build/api/artifact/Artifacts.java': `package com.android.build.api.artifact;
    public interface Artifacts { <T> org.gradle.api.provider.Provider<T> get(SingleArtifact<T> type); }`,
  'com/android/build/api/variant/ApplicationVariant.java': `package com.android.build.api.variant;
    public interface ApplicationVariant { String getName(); com.android.build.api.artifact.Artifacts getArtifacts(); }`,
  'com/android/build/api/variant/VariantSelector.java': `package com.android.build.api.variant;
    public interface VariantSelector { VariantSelector all(); }`,
  'com/android/build/api/variant/ApplicationAndroidComponentsExtension.java': `package com.android.build.api.variant;
    public interface ApplicationAndroidComponentsExtension {
      VariantSelector selector();
      void onVariants(VariantSelector selector, org.gradle.api.Action<ApplicationVariant> callback);
    }`,
  'org/gradle/api/tasks/TaskProvider.java': `package org.gradle.api.tasks;
    public interface TaskProvider<T extends org.gradle.api.Task> extends org.gradle.api.provider.Provider<T> {}`,
  'org/gradle/api/tasks/TaskContainer.java': `package org.gradle.api.tasks;
    public interface TaskContainer {
      <T extends org.gradle.api.Task> T create(String name, Class<T> type);
      <T extends org.gradle.api.Task> TaskProvider<T> register(String name, Class<T> type, org.gradle.api.Action<? super T> configure);
    }`,
};

const runClient = `import dev.slipway.upload.*;
  class RunClient {
    public static void main(String[] args) throws Exception {
      try {
        var client = new SlipwayClient(args[0], args[1], args[2], System.getenv());
        SlipwayClient.failures(args[4], null);
        var answer = client.upload(java.nio.file.Path.of(args[3]), java.util.Map.of("message", args[5], "distribution_name", "client"));
        System.out.println(answer);
        System.out.println(SlipwayClient.outputs(answer));
        client.failedChecks(args[4], answer).forEach(line -> System.out.println("failed: " + line));
      } catch (SlipwayException error) {
        System.err.println(error.getMessage());
        System.exit(1);
      }
    }
  }`;

describe.runIf(hasGradle)('the Gradle plugin (needs gradle and a JDK)', { timeout: 120_000 }, () => {
  let slipway: Installation;
  let server: RunningServer;
  let front: FrontServer;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    server = await slipway.serve({ environment: { SLIPWAY_ADMIN_API_KEY: key } });
    front = await startFrontServer(server.origin, key);
    folder = join(slipway.folder, 'gradle');
    mkdirSync(folder);
    file = join(folder, 'app "1".apk');
    writeFileSync(file, buildApk({ packageName: 'com.example.gradle', fillerBytes: 3_000_000 }));
    for (const [name, text] of Object.entries(stubs)) {
      mkdirSync(dirname(join(folder, 'stubs', name)), { recursive: true });
      writeFileSync(join(folder, 'stubs', name), text);
    }
    const jars = ['/usr/share/gradle/lib', '/usr/share/gradle/lib/plugins']
      .flatMap((lib) => readdirSync(lib).map((name) => join(lib, name)))
      .filter((name) => name.endsWith('.jar'));
    const inject = ['atinject-jsr330-api', 'groovy-all', 'slf4j-api'].map(
      (name) => `/usr/share/java/${name}.jar`,
    );
    const files = readdirSync(sources).map((name) => join(sources, name));
    const javac = (classes: string, ...args: string[]) =>
      execFileSync('javac', [
        '-nowarn',
        '-d',
        join(folder, classes),
        '-cp',
        [...jars, ...inject].join(':'),
        ...args,
      ]);
    // The newer `TaskContainer` is only for the part that needs it.
    javac('all', '-sourcepath', join(folder, 'stubs'), ...files);
    mkdirSync(join(folder, 'classes/META-INF/gradle-plugins'), { recursive: true });
    execFileSync('javac', [
      ...[
        '-nowarn',
        '-d',
        join(folder, 'classes'),
        '-cp',
        [...jars, ...inject, join(folder, 'all')].join(':'),
      ],
      ...files.filter((name) => !name.endsWith('AndroidVariants.java')),
    ]);
    writeFileSync(
      join(folder, 'classes/META-INF/gradle-plugins/dev.slipway.upload.properties'),
      'implementation-class=dev.slipway.upload.SlipwayPlugin\n',
    );
    writeFileSync(join(folder, 'RunClient.java'), runClient);
    execFileSync('javac', [
      '-d',
      join(folder, 'classes'),
      '-cp',
      join(folder, 'classes'),
      join(folder, 'RunClient.java'),
    ]);
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

  const run = async (program: string, args: string[], env: Record<string, string>, cwd = folder) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: slipway.folder, LANG: 'C.UTF-8', ...env },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    const [code] = await once(child, 'close');
    return { code, text };
  };
  interface Call {
    server?: string;
    owner?: string;
    key?: string;
    file?: string;
    failOn?: string;
  }
  const client = (call: Call, env: Record<string, string> = {}) =>
    run(
      'java',
      [
        ...[
          '-XX:TieredStopAtLevel=1',
          '-cp',
          join(folder, 'classes'),
          'RunClient',
          call.server ?? front.origin,
        ],
        ...[call.owner ?? 'admin', call.key ?? '', call.file ?? file, call.failOn ?? '', hostile],
      ],
      env,
    );
  const builds = async () => {
    const { code, stdout } = await slipway.run(['build', 'list', 'admin', 'com.example.gradle', '--json']);
    return code === 0 ? stdout.trim().split('\n').length : 0;
  };

  it('has a client that uploads once, although the connection breaks and the server is busy', async () => {
    const before = await builds();
    front.faults.push('cut', 'busy');
    const { code, text } = await client({ key });
    expect([code, text]).toEqual([0, expect.stringContaining(`revision=${before + 1}`)]);
    const [{ results }] = text
      .split('\n')
      .map((line) => (line.startsWith('{"error"') ? JSON.parse(line) : null));
    expect(results).toMatchObject({ message: hostile, distribution: { title: 'client' } });
    expect(front.uploads).toHaveLength(3);
    expect(new Set(front.uploads.map((upload) => upload.key)).size).toBe(1);
    expect(Number(front.uploads[0]?.length)).toBeGreaterThan(3_000_000);
    expect(await builds()).toBe(before + 1);
    expect(text).not.toContain(key);
  });

  it('has a client that exchanges an ID token if there is no key', async () => {
    const { code } = await client({}, { SLIPWAY_ID_TOKEN: 'header.payload.signature' });
    expect([code, front.exchanges]).toEqual([
      0,
      [
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: 'header.payload.signature',
          subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
          resource: 'admin',
        },
      ],
    ]);
    const refused = await client({}, { SLIPWAY_ID_TOKEN: 'refused.id.token' });
    expect(refused.text).toBe(
      `${front.origin} refused the ID token: No publisher: # #[set-output name=a]b\n: :error::c (400)\n`,
    );
  });

  it('has a client that waits for the checks of the server', async () => {
    const checked = await uploadFailingPackage(slipway.folder, server.origin, key);
    const failedOf = async (failOn: string) => {
      const { code, text } = await client({ key, file: checked, failOn });
      expect(code).toBe(0);
      return text.split('\n').filter((line) => line.startsWith('failed: '));
    };
    expect(await failedOf('size,store')).toEqual([
      expect.stringMatching(/^failed: Target API level \d+ or higher: The build targets API level 30\. /),
    ]);
    expect(await failedOf('size,install')).toEqual([]);
    front.faults.push('none', 'busy', 'busy', 'busy', 'busy');
    expect(await failedOf('store')).toEqual([
      expect.stringMatching(/^failed: The checks are not known: .* \(503\)$/),
    ]);
  });

  it.each<[string, Call, Record<string, string>, RegExp]>([
    ['a wrong key', { key: 'slw_wrong' }, {}, /\(401\)\n$/],
    ['no credential', {}, {}, /^No key and no ID token: set SLIPWAY_API_KEY/],
    ['an owner that does not exist', { key, owner: 'nobody/../x' }, {}, /\(40[34]\)\n$/],
    ['no file', { key, file: '/nowhere.apk' }, {}, /^No file at \/nowhere\.apk\n$/],
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
    ['a condition that is none', { key, failOn: 'sizes' }, {}, conditionsMessage],
    [
      'a key for another server',
      {},
      { SLIPWAY_API_KEY: key, SLIPWAY_URL: 'https://apps.example.com' },
      /^The key of the environment is for https:\/\/apps\.example\.com and is not sent to/,
    ],
  ])(
    'has a client that refuses %s with a sentence, and leaves no build',
    async (_case, call, env, message) => {
      const before = await builds();
      const { code, text } = await client(call, env);
      expect([code, text]).toEqual([1, expect.stringMatching(message)]);
      expect(text).not.toMatch(/key-of-the-gradle-build|slw_wrong/);
      expect(await builds()).toBe(before);
    },
  );

  it('has a task that uploads, prints the outputs and keeps the answer', async () => {
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'settings.gradle'), "rootProject.name = 'app'\n");
    writeFileSync(
      join(project, 'build.gradle'),
      `buildscript { dependencies { classpath files('../classes') } }
       apply plugin: 'dev.slipway.upload'
       slipway {
         server = '${front.origin}'
         owner = 'admin'
         page = 'gradle'
         notify = false
         file = new File('${file}')
       }\n`,
    );
    const before = await builds();
    const args = ['--offline', '--no-daemon', '--console=plain', '--stacktrace', 'slipwayUpload'];
    const { code, text } = await run(
      'gradle',
      args,
      { SLIPWAY_API_KEY: key, SLIPWAY_MESSAGE: 'from CI' },
      project,
    );
    expect([code, text]).toEqual([0, expect.stringContaining(`slipway: revision: ${before + 1}\n`)]);
    expect(text).toMatch(/slipway: page-url: http:\/\/127\.0\.0\.1:\d+\/distributions\/[0-9a-f]+\n/);
    const { results } = JSON.parse(readFileSync(join(project, 'build/slipway/slipwayUpload.json'), 'utf8'));
    expect(results).toMatchObject({ message: 'from CI', distribution: { title: 'gradle' } });
    expect(text).not.toContain(key);
    front.faults.push('hostile');
    const hostileEnd = await run(
      'gradle',
      args,
      { SLIPWAY_API_KEY: key, SLIPWAY_FAIL_ON: 'install' },
      project,
    );
    expect([hostileEnd.code, hostileEnd.text]).toEqual([1, expect.stringContaining('Nobody can install')]);
    expect(hostileEnd.text).toContain('slipway: page-url: http://a/# #[set-output');
    expect(hostileEnd.text).not.toMatch(commandInLog);
  });

  it('has the inputs and outputs of every integration in its README', () => {
    const inputs = Object.entries(uploadInputs)
      .filter(
        ([name, { environment }]) =>
          environment && !['trusted', 'comment', 'pull-request', 'status', 'symbols'].includes(name),
      )
      .map(([name]) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
    const readme = readFileSync(join(plugin, 'README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(readme).toContain(checkNames.map((category) => `\`${category}\``).join(', '));
    expect(rows).toEqual([...[...inputs, 'key', 'artifact'].sort(), ...stepOutputNames]);
    const extension = readFileSync(join(sources, 'SlipwayExtension.java'), 'utf8');
    const getters = [...extension.matchAll(/ get(\w+)\(\)/g)].map(
      ([, name = '']) => name[0]?.toLowerCase() + name.slice(1),
    );
    expect(getters.sort()).toEqual([...inputs, 'key', 'artifact'].sort());
  });
});
