/** `slipway simulate` against a real server, with Mac programs replaced by a recorder of their arguments. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runSimulate } from '../../src/commands/simulate/simulate-command.ts';
import { chooseSimulator, readSimulators } from '../../src/commands/simulate/simulate-device.ts';
import { downloadTo } from '../../src/commands/simulate/simulate-download.ts';
import { SimulateError, type SimulateIo } from '../../src/commands/simulate/simulate-io.ts';
import { unpackSimulatorZip } from '../../src/commands/simulate/simulate-unpack.ts';
import { signIn } from '../support/browser-session.ts';
import { appEntries, buildIpa } from '../support/build-ipa.ts';
import { buildZip, type ZipEntrySpec } from '../support/build-zip.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { builtUploader } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** Abbreviated output of `xcrun simctl list devices available --json`. */
const device = (name: string, udid: string, state = 'Shutdown') => ({
  lastBootedAt: '2026-03-02T08:15:30Z',
  dataPath: `/Users/mina/Library/Developer/CoreSimulator/Devices/${udid}/data`,
  dataPathSize: 18_337_792,
  logPath: `/Users/mina/Library/Logs/CoreSimulator/${udid}`,
  udid,
  isAvailable: true,
  logPathSize: 196_608,
  deviceTypeIdentifier: `com.apple.CoreSimulator.SimDeviceType.${name.replaceAll(' ', '-')}`,
  state,
  name,
});
const udids = {
  se: '3F2504E0-4F89-41D3-9A0C-0305E82C3301',
  old: '8C4B7B1E-6B1F-4B0A-9C56-0F6E5A3F8D10',
  pro: 'A5D1E9F2-7C3B-4E8D-B6A4-1C2D3E4F5A6B',
  plain: 'B7E2F0A3-8D4C-4F9E-A7B5-2D3E4F5A6B7C',
  pad: 'C8F3A1B4-9E5D-4A0F-B8C6-3E4F5A6B7C8D',
  watch: 'D9A4B2C5-0F6E-4B1A-A9D7-4F5A6B7C8D9E',
};
const listing = (booted: string | null = null) => {
  const state = (udid: string) => (udid === booted ? 'Booted' : 'Shutdown');
  const of = (name: string, udid: string) => device(name, udid, state(udid));
  return JSON.stringify({
    devices: {
      'com.apple.CoreSimulator.SimRuntime.watchOS-26-0': [of('Apple Watch Series 11 (46mm)', udids.watch)],
      'com.apple.CoreSimulator.SimRuntime.iOS-17-5': [
        of('iPhone SE (3rd generation)', udids.se),
        of('iPhone 15', udids.old),
      ],
      'com.apple.CoreSimulator.SimRuntime.iOS-26-0': [
        of('iPad Pro 13-inch (M5)', udids.pad),
        of('iPhone 16 Pro', udids.pro),
        of('iPhone 17', udids.plain),
      ],
      'com.apple.CoreSimulator.SimRuntime.iOS-15-0': [],
    },
  });
};

interface TestIo extends SimulateIo {
  out(): string;
  err(): string;
  calls: string[][];
  /** Content of the app's folder at installation. */
  installed: string[];
}

let temporaryFolder: string;
beforeEach(async () => {
  temporaryFolder = await mkdtemp(join(tmpdir(), 'slipway-simulate-test-'));
  onTestFinished(() => rm(temporaryFolder, { recursive: true, force: true }));
});

function testIo(more: Partial<SimulateIo> & { list?: string; fails?: string } = {}): TestIo {
  let [out, err] = ['', ''];
  const calls: string[][] = [];
  const installed: string[] = [];
  return {
    env: {},
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    platform: 'darwin',
    temporaryFolder,
    interrupted: new AbortController().signal,
    command: 'slipway simulate',
    run: async (program, args) => {
      calls.push([program, ...args]);
      if (args[1] === 'install') installed.push(...(await readdir(args[3] ?? '')).sort());
      if (more.fails && args[1] === more.fails)
        return { exitCode: 149, stdout: '', stderr: 'Unable to boot\nnow.' };
      return { exitCode: 0, stdout: args[1] === 'list' ? (more.list ?? listing()) : '', stderr: '' };
    },
    ...more,
    out: () => out,
    err: () => err,
    calls,
    installed,
  };
}

const simulator = {
  simulator: true,
  name: 'Tides',
  bundleIdentifier: 'com.example.test',
  minimumOsVersion: '16.0',
};
const simulatorZip = buildZip(appEntries(simulator, 'build/Tides.app/'));

describe('simulate', () => {
  let slipway: TestService;
  let build: { page: string; download: string; distribution: string; key: string };
  let testerKey: string;
  beforeAll(async () => {
    slipway = await startTestService();
    testerKey = await slipway.user('simulate-tester');
    await slipway.project('simulated', { members: { 'simulate-tester': 'tester' } });
    const result = await uploaded(slipway, {
      owner: 'simulated',
      parts: [
        { name: 'file', content: buildIpa({ bundleIdentifier: 'com.example.test' }), fileName: 'a.ipa' },
        { name: 'ios_simulator_zip', content: simulatorZip, fileName: 'a.zip' },
        { name: 'distribution_name', value: 'main' },
      ],
    });
    const page = `${slipway.origin}${new URL(result.revision_url).pathname}`;
    const shown = await get(slipway, page, slipway.adminKey, { headers: { Accept: 'text/html' } });
    const [, target = ''] = /<([^>]+)>; rel="enclosure"/.exec(String(shown.headers.link)) ?? [];
    build = {
      page,
      download: `${slipway.origin}${target}`,
      distribution: result.distribution?.url ?? '',
      key: result.secret,
    };
  });
  afterAll(() => slipway.close());

  const appPath = expect.stringMatching(/\/slipway-simulate-\w+\/Tides\.app$/);
  const expectedCalls = (udid: string, boots = true) => [
    ['xcrun', 'simctl', 'list', 'devices', 'available', '--json'],
    ...(boots ? [['xcrun', 'simctl', 'boot', udid]] : []),
    ['open', '-a', 'Simulator', '--args', '-CurrentDeviceUDID', udid],
    ['xcrun', 'simctl', 'bootstatus', udid],
    ['xcrun', 'simctl', 'install', udid, appPath],
    ['xcrun', 'simctl', 'launch', udid, 'com.example.test'],
  ];

  it.each(['page', 'distribution', 'download'] as const)(
    'boots the newest iPhone, installs the app and starts it, given the link of the %s',
    async (name) => {
      const io = testIo({ env: { SLIPWAY_API_KEY: testerKey, SLIPWAY_URL: slipway.origin } });
      expect(await runSimulate([build[name]], io)).toBe(0);
      expect(io.calls).toEqual(expectedCalls(udids.plain));
      expect(io.installed).toEqual(expect.arrayContaining(['Info.plist']));
      expect(io.out()).toBe('Tides is running on iPhone 17, iOS 26.0.\n');
      expect(await readdir(temporaryFolder)).toEqual([]);
    },
  );

  it('uses the running simulator, or the requested one', async () => {
    const running = testIo({ list: listing(udids.old) });
    expect(await runSimulate([build.download], running)).toBe(0);
    expect(running.calls).toEqual(expectedCalls(udids.old, false));
    for (const asked of ['iphone 16 pro', udids.pro.toLowerCase()]) {
      const io = testIo({ list: listing(udids.old) });
      expect(await runSimulate([build.download, '--device', asked], io)).toBe(0);
      expect(io.calls).toEqual(expectedCalls(udids.pro));
    }
  });

  it.each(['linux', 'win32'])('is refused on %s before it sends any request', async (platform) => {
    let asked = 0;
    const server = createServer(() => asked++).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const io = testIo({ platform });
    expect(
      await runSimulate(
        [`http://127.0.0.1:${(server.address() as { port: number }).port}/builds/x/simulator`],
        io,
      ),
    ).toBe(1);
    expect(io.err()).toBe('simulate requires a Mac with Xcode: iOS simulators run only there.\n');
    expect({ asked, calls: io.calls }).toEqual({ asked: 0, calls: [] });
  });

  it('needs the key of a member', async () => {
    const stranger = await slipway.user('simulate-stranger');
    const byStranger = { SLIPWAY_API_KEY: stranger, SLIPWAY_URL: slipway.origin };
    const cases: [string, Record<string, string>, RegExp][] = [
      [build.page, {}, /no build at this address \(401\)\.\n {2}Set SLIPWAY_API_KEY to your API key/],
      [build.page, byStranger, /no build at this address \(404\)/],
      [build.distribution, {}, /simulator builds only to members/],
      [build.distribution, byStranger, /has no simulator build/],
      [build.download.replace(/\?.*/, ''), byStranger, /\(404\)/],
      [build.download.replace(/key=./, 'key=_'), {}, /\(404\)/],
      [
        build.page,
        { SLIPWAY_API_KEY: testerKey, SLIPWAY_URL: 'https://elsewhere.example' },
        /is not sent to http:/,
      ],
      [
        build.page,
        { SLIPWAY_API_KEY: testerKey },
        /sent only to the server in SLIPWAY_URL, which is not set/,
      ],
    ];
    for (const [address, env, words] of cases) {
      const io = testIo({ env });
      expect(await runSimulate([address], io)).toBe(1);
      expect(io.err()).toMatch(words);
      expect(io.calls).toHaveLength(1);
    }
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  it('offers the download and the command to members, but not to holders of the App’s secret', async () => {
    const { cookie: Cookie } = await signIn(slipway, 'simulate-tester');
    const member = await get(slipway, build.page, null, { headers: { Cookie, Accept: 'text/html' } });
    expect(member.text).toContain(`curl -fsSO ${slipway.origin}/cli/slipway.mjs`);
    expect(member.text.replaceAll('&#39;', "'")).toContain(`node slipway.mjs simulate '${build.download}'`);
    const secret = await get(slipway, `${build.page}?key=${build.key}`, null, {
      headers: { Accept: 'text/html' },
    });
    expect(secret.status).toBe(200);
    expect(secret.text).not.toMatch(/simulator|slipway\.mjs/);
    expect(secret.headers.link).toBeUndefined();
    expect((await get(slipway, build.distribution)).headers.link).toBeUndefined();
    expect((await get(slipway, build.distribution, testerKey)).headers.link).toMatch(
      /^<\/builds\/[^?]+\/simulator>; rel="enclosure"/,
    );
  });

  it('reports the error of a failed program and cleans up after every failure', async () => {
    const io = testIo({ fails: 'boot' });
    expect(await runSimulate([build.download], io)).toBe(1);
    expect(io.err()).toContain('xcrun simctl boot failed: Unable to boot now.\n');
    const none = testIo({
      run: () => Promise.reject(Object.assign(new Error('spawn xcrun'), { code: 'ENOENT' })),
    });
    expect(await runSimulate([build.download], none)).toBe(1);
    expect(none.err()).toContain('xcrun could not be run.\n  Install Xcode');
    const odd = testIo({ list: 'xcrun: hello' });
    expect(await runSimulate([build.download], odd)).toBe(1);
    const interrupting = new AbortController();
    const stopped = testIo({ interrupted: interrupting.signal });
    const run = stopped.run;
    stopped.run = async (program, args) => {
      interrupting.abort();
      return run(program, args);
    };
    expect(await runSimulate([build.download], stopped)).toBe(1);
    expect(stopped.err()).toContain('Stopped.');
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  it('rejects a file that is not a simulator build and leaves nothing behind', async () => {
    const wrong = {
      'an IPA': buildIpa(),
      'no zip': Buffer.from('hello'),
      'an option in place of an identifier': buildZip(
        appEntries({ ...simulator, bundleIdentifier: '-com.example' }, 'A.app/'),
      ),
    };
    const bodies = Object.values(wrong);
    let next = 0;
    const server = createServer((_request, response) => response.end(bodies[next++])).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as { port: number }).port}/builds/x/simulator?key=k`;
    for (const _ of bodies) {
      const io = testIo();
      expect(await runSimulate([address], io)).toBe(1);
      expect(io.err()).toMatch(/Not a simulator build|bundle identifier of the app is invalid/);
      expect(io.calls).toHaveLength(1);
    }
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  it('sends the key to no other server, not even where its own redirects to', async () => {
    const keys: (string | undefined)[] = [];
    const listen = async (answer: RequestListener) => {
      const server = createServer(answer).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    };
    const link = '</builds/x/simulator>; rel="enclosure"; title="simulator"';
    const other = await listen(({ headers }, response) => {
      keys.push(headers.authorization);
      response.writeHead(200, { Link: link }).end();
    });
    const own = await listen((_, response) => response.writeHead(302, { Location: `${other}/page` }).end());
    const io = testIo({ env: { SLIPWAY_API_KEY: testerKey, SLIPWAY_URL: own } });
    expect(await runSimulate([`${own}/page`], io)).toBe(1);
    expect(keys).toEqual([undefined, undefined]);
  });

  it('limits size and idle time', async () => {
    const server = createServer((_request, response) => {
      response.write(Buffer.alloc(1000));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const address = new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/x`);
    const download = { address, apiKey: null, interrupted: new AbortController().signal };
    const path = join(temporaryFolder, 'a.zip');
    await expect(downloadTo({ ...download, maxBytes: 999 }, address, path)).rejects.toThrow(
      'larger than 999 B',
    );
    await expect(downloadTo({ ...download, idleMs: 200 }, address, `${path}2`)).rejects.toThrow(
      'stopped sending data',
    );
  });

  it.each([
    [[]],
    [['ftp://x/y']],
    [['http://a', 'http://b']],
    [['http://u:p@a/']],
    [['http://a', '--device', '']],
    [['http://a', '--fast']],
  ])('rejects the usage %j', async (argv) => {
    const io = testIo();
    expect(await runSimulate(argv, io)).toBe(2);
    expect(io.err()).toContain('Try slipway simulate --help');
  });

  describe.each([
    ['this Node', process.execPath],
    ['the machine’s own Node', '/usr/bin/node'],
  ])('as a single file, on %s', (_name, node) => {
    it.runIf(runsEverything && existsSync(node))(
      'runs with the Mac programs replaced by scripts',
      async () => {
        const log = join(temporaryFolder, 'calls');
        const bin = join(temporaryFolder, 'bin');
        await mkdir(bin);
        await writeFile(join(temporaryFolder, 'list.json'), listing());
        for (const program of ['xcrun', 'open']) {
          const script = `#!/bin/sh\necho "$(basename "$0") $*" >> '${log}'\n[ "$2" = list ] && cat '${temporaryFolder}/list.json'\n[ "$2" = install ] && ls "$4" >> '${log}'\nexit 0\n`;
          await writeFile(join(bin, program), script);
          await chmod(join(bin, program), 0o755);
        }
        const asMac =
          "Object.defineProperty(process, 'platform', { value: 'darwin' }); await import(process.argv[1]);";
        const run = async (prelude: string) => {
          const child = spawn(
            node,
            ['--input-type=module', '-e', prelude, builtUploader, 'simulate', build.download],
            { env: { PATH: `${bin}:${process.env.PATH}`, TMPDIR: temporaryFolder } },
          );
          let text = '';
          for (const stream of [child.stdout, child.stderr])
            stream.setEncoding('utf8').on('data', (piece) => (text += piece));
          const [code] = await once(child, 'close');
          return { code, text };
        };
        expect(await run('await import(process.argv[1]);')).toEqual({
          code: process.platform === 'darwin' ? 0 : 1,
          text: expect.stringContaining('simulate requires a Mac'),
        });
        const { code, text } = await run(asMac);
        expect(text).toContain('Tides is running on iPhone 17, iOS 26.0.\n');
        expect(code).toBe(0);
        const calls = (await readFile(log, 'utf8')).trim().split('\n');
        expect(calls).toContain('Info.plist');
        expect(calls.at(-1)).toBe(`xcrun simctl launch ${udids.plain} com.example.test`);
        expect(
          (await readdir(temporaryFolder)).filter((name) => name.startsWith('slipway-simulate-')),
        ).toEqual([]);
      },
    );
  });
});

describe('choosing a simulator', () => {
  const all = readSimulators(listing());
  const choose = (device: string | null, minimumOsVersion: string | null, among = all) =>
    chooseSimulator(among, { device, minimumOsVersion });

  it('considers only iOS', () => {
    expect(all.map(({ udid }) => udid)).not.toContain(udids.watch);
    expect(all).toHaveLength(5);
  });

  it('prefers an iPhone to an iPad, and needs a version the app supports', () => {
    expect(choose(null, null).name).toBe('iPhone 17');
    expect(choose(null, '18.0', readSimulators(listing(udids.old))).name).toBe('iPhone 17');
    expect(choose('iPad Pro 13-inch (M5)', '26.0').udid).toBe(udids.pad);
  });

  it.each([
    ['Pixel 9', null, 'No simulator is named Pixel 9.'],
    ['iPhone 15', '18.1', 'The app requires iOS 18.1, but iPhone 15 has 17.5.'],
    [null, '27.0', 'The app requires iOS 27.0'],
  ])('explains why none was found: %s, %s', (device, minimum, words) => {
    expect(() => choose(device, minimum)).toThrow(words);
  });

  it.each([
    '',
    '[]',
    '{"devices":null}',
    'null',
    '{"devices":{"com.apple.CoreSimulator.SimRuntime.iOS-26-0":[{"udid":"--x","name":"y"}]}}',
  ])('rejects %s', (text) => {
    expect(() => choose(null, null, readSimulators(text))).toThrow(SimulateError);
  });
});

describe('unpacking', () => {
  const unpack = async (...more: ZipEntrySpec[]) => {
    const zip = join(temporaryFolder, 'a.zip');
    await writeFile(zip, buildZip([...appEntries(simulator, 'Tides.app/'), ...more]));
    const folder = join(temporaryFolder, 'inner', 'folder');
    await mkdir(folder, { recursive: true });
    return unpackSimulatorZip(zip, folder);
  };
  const link = (name: string, target: string): ZipEntrySpec => ({
    name,
    content: target,
    unixMode: 0o120777,
  });

  it('keeps executable bits, and links within the app', async () => {
    const app = await unpack(
      { name: 'Tides.app/run.sh', content: '#!/bin/sh', unixMode: 0o100755, method: 8 },
      { name: 'Tides.app/plain', content: 'x', unixMode: 0o100644 },
      { name: 'Tides.app/F.framework/Versions/A/F', content: 'f' },
      link('Tides.app/F.framework/Versions/Current', 'A'),
      link('Tides.app/F.framework/F', 'Versions/Current/F'),
      link('Tides.app/F.framework/up', '../plain'),
      { name: '__MACOSX/Tides.app/._plain', content: 'x' },
      { name: './Tides.app//deep/./er', content: 'x' },
    );
    const at = (name: string) => join(app.path, name);
    expect((await lstat(at('run.sh'))).mode & 0o777).toBe(0o755);
    expect((await lstat(at('plain'))).mode & 0o111).toBe(0);
    expect(await readFile(at('deep/er'), 'utf8')).toBe('x');
    expect(await readFile(at('F.framework/F'), 'utf8')).toBe('f');
    expect(await readlink(at('F.framework/up'))).toBe('../plain');
    expect(await readdir(join(temporaryFolder, 'inner', 'folder'))).toEqual(['Tides.app']);
  });

  it.each<[string, ZipEntrySpec[], RegExp]>([
    ['a name that goes up', [{ name: 'Tides.app/../../out', content: 'x' }], /which leads out/],
    ['a name with a backslash', [{ name: 'Tides.app/..\\out', content: 'x' }], /name that leads out/],
    ['a link to elsewhere', [link('Tides.app/l', '/etc')], /link that leads out/],
    ['a link that goes up too far', [link('Tides.app/a/l', '../../x')], /link that leads out/],
    [
      'a link that goes up later',
      [link('Tides.app/l', '.'), link('Tides.app/m', 'l/../..')],
      /link that leads out/,
    ],
    ['an empty link', [link('Tides.app/l', '')], /link that leads out/],
    ['a link too long', [link('Tides.app/l', 'x'.repeat(5000))], /too large/],
    [
      'a file through a link',
      [link('Tides.app/l', 'a'), { name: 'Tides.app/l/out', content: 'x' }],
      /could not be unpacked/,
    ],
    [
      'one name in two cases',
      [{ name: 'Tides.app/info.plist', content: 'x' }],
      /the same file on Apple devices/,
    ],
    ['one name twice', [link('Tides.app/l', 'a'), { name: 'Tides.app/l', content: 'x' }], /twice/],
    ['a file with a wrong checksum', [{ name: 'Tides.app/x', content: 'x', crc32: 1 }], /x/],
    [
      'a local header of another name',
      [{ name: 'Tides.app/x', content: 'x', local: { name: 'Tides.app/y' } }],
      /does not match the archive directory/,
    ],
  ])('rejects %s', async (_name, entries, words) => {
    await expect(unpack(...entries)).rejects.toThrow(words);
    expect((await readdir(temporaryFolder)).sort()).toEqual(['a.zip', 'inner']);
    expect(await readdir(join(temporaryFolder, 'inner'))).toEqual(['folder']);
  });
});
