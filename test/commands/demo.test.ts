/** `slipway serve --demo` as a process: it fills an installation through the real pages, so it must work like one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browserTimeoutMs, hasChromium, launchChromium } from '../support/chromium.ts';
import { fetchedSessionCookie, fetchSignIn } from '../support/fetch-sign-in.ts';
import { builtProgram, runInProcess } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';

const slow = { timeout: browserTimeoutMs };
const tideline = '/users/halden-labs/platforms/android/apps/com.haldenlabs.tideline';

/** Pages that the administrator can open, and texts that each must contain. */
const pages: Readonly<Record<string, readonly string[]>> = {
  '/': ['Courier', 'Orbit Transit'],
  [tideline]: [
    'Checks failed',
    'Checks accepted',
    'candidate',
    'release/3.8',
    'feature/wind-model',
    'Client preview',
  ],
  [`${tideline}?q=offset`]: ['Fix the tide offset'],
  [`${tideline}/binaries/32`]: ['CN=Halden Labs', 'Yes, from Android 8.0', 'POST_NOTIFICATIONS'],
  [`${tideline}/compare?from=2&to=32`]: ['POST_NOTIFICATIONS', '3.6.0', '3.8.0'],
  [`${tideline}/activity`]: ['#32', 'wanjiru'],
  [`${tideline}/settings/checks`]: ['value="100 KB"'],
  [`${tideline}/binaries/29/checks`]: ['The build is debuggable.', 'Failed'],
  [`${tideline}/binaries/25/checks`]: ['Accepted by', 'priya', 'Charts must open at sea.'],
  [`${tideline}/binaries/26/checks`]: ['Accepted by', 'jonas'],
  [`${tideline}/binaries/25/size`]: ['assets/tiles/harbors.bin', 'com.haldenlabs.tideline.ui'],
  [`${tideline}/size`]: ['#2', '#32'],
  [`${tideline}/feedback`]: ['skipper.anna@example.com', 'Love the wind in knots!'],
  [`${tideline}/pages/new`]: ['name="revision"'],
  [`${tideline}/hooks`]: ['Device lab'],
  [`${tideline}/retention`]: ['<form'],
  '/users/halden-labs/platforms/ios/apps/com.haldenlabs.tideline/binaries/20': ['Apple Distribution'],
  '/users/maya/platforms/android/apps/com.maya.fieldnotes/people': ['ingrid'],
  '/organizations/halden-labs': ['Bramble'],
  '/organizations/halden-labs/people': ['wanjiru'],
  '/organizations/halden-labs/groups': ['Field testers'],
  '/organizations/halden-labs/audit': ['com.haldenlabs.tideline'],
  '/organizations/parcel-ops': ['Courier', 'Orbit Transit'],
  '/enterprises/pulse-health': ['pulse'],
  '/administration': ['Slipway'],
  '/administration/people': ['beatriz'],
  '/administration/owners': ['parcel-ops'],
  '/administration/mail': ['lena', 'Stored'],
  '/administration/background-work': ['<main'],
  '/administration/audit': ['maya'],
  '/settings/keys': ['Command line'],
  '/docs': ['distribution_name'],
};
/** Pages of an owner team. */
const teamPages: Readonly<Record<string, readonly string[]>> = {
  '/organizations/halden-labs/invitations': ['hana.novak@haldenlabs.example'],
  '/organizations/halden-labs/keys': ['GitHub Actions'],
  '/organizations/halden-labs/hooks': ['Release channel'],
  '/organizations/halden-labs/devices': ['QA iPad'],
};

describe.runIf(runsEverything)('the demo', () => {
  let folder: string;
  let child: ChildProcess;
  let output = '';
  let closed: Promise<unknown[]>;
  const printed = (label: string) => new RegExp(`^ *${label} +(\\S+)$`, 'm').exec(output)?.[1] ?? '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-demo-test-'));
    child = spawn(process.execPath, [builtProgram, 'serve', '--demo'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, SLIPWAY_PORT: '0' },
    });
    closed = once(child, 'close');
    const printedEverything = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text) => {
          output += text;
          if (printed('Two builds compared') !== '') resolve();
        });
    });
    await Promise.race([printedEverything, closed]);
  }, browserTimeoutMs);
  afterAll(async () => {
    child.kill('SIGKILL');
    await closed;
    await rm(folder, { recursive: true, force: true });
  });

  const signedIn = async (person: string) => {
    const answer = await fetchSignIn(printed('Address'), person, printed('Password'));
    const cookie = fetchedSessionCookie(answer) ?? '';
    return (path: string) => fetch(printed('Address') + path, { headers: { cookie, accept: 'text/html' } });
  };

  it('prints its address, a login and links that work, and reports no error', slow, async () => {
    const visit = await signedIn('maya');
    for (const label of [
      'What a tester sees',
      'An app and its builds',
      'A failed check',
      'An accepted growth',
      'Its activity',
      'Two builds compared',
    ]) {
      const answer = await visit(printed(label).slice(printed('Address').length));
      expect([label, answer.status, output]).toEqual([label, 200, output]);
    }
    expect(output).not.toMatch(/"level":50|Error/);
  });

  it('shows generated content on every main page', slow, async () => {
    for (const [person, shown] of [
      ['maya', pages],
      ['jonas', teamPages],
    ] as const) {
      const visit = await signedIn(person);
      for (const [path, texts] of Object.entries(shown)) {
        const answer = await visit(path);
        const html = await answer.text();
        // Packages of the demo are analyzed completely.
        if (path.includes('/binaries/')) expect([path, html.match(/not analyzed/i)]).toEqual([path, null]);
        const missing = texts.filter((text) => !html.includes(text));
        expect([path, answer.status, missing]).toEqual([path, 200, []]);
      }
    }
  });

  it('has drawn the icon of every app', slow, async () => {
    const visit = await signedIn('maya');
    const home = await (await visit('/')).text();
    const icons = [...home.matchAll(/src="(\/builds\/[^"]+\/icon[^"]*)"/g)].map(([, path = '']) => path);
    expect(icons.length).toBeGreaterThanOrEqual(7);
    for (const path of icons) expect((await visit(path)).headers.get('content-type')).toBe('image/png');
  });

  it('has counted views and installs on many days', slow, async () => {
    const visit = await signedIn('maya');
    const html = await (await visit(`${tideline}/activity?days=90`)).text();
    const days = [...html.matchAll(/<tr id="\d[^"]*">[\s\S]*?<\/tr>/g)];
    expect(days).toHaveLength(90);
    expect(days.filter(([row]) => />[1-9]\d*<\/td><\/tr>$/.test(row)).length).toBeGreaterThan(30);
  });

  it('lets everyone sign in with the password, and shows them only what is theirs', slow, async () => {
    const visit = await signedIn('lena');
    const statusOf = async (path: string) => (await visit(path)).status;
    expect(await statusOf(tideline)).toBe(200);
    expect(await statusOf(`${tideline}/activity`)).toBe(404);
    expect(await statusOf('/organizations/pulse')).toBe(404);
  });

  it.skipIf(!hasChromium)('has no errors in the console of a browser', slow, async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
      await page.goto(`${printed('Address')}/sign-in`);
      await page.fill('[name=login]', 'maya');
      await page.fill('[name=password]', printed('Password'));
      await page.press('[name=password]', 'Enter');
      await page.waitForURL((url) => url.pathname !== '/sign-in');
      for (const path of [...Object.keys(pages), new URL(printed('What a tester sees')).pathname]) {
        const answer = await page.goto(printed('Address') + path, { waitUntil: 'load' });
        expect([path, answer?.status()]).toEqual([path, 200]);
      }
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('deletes everything when it stops', slow, async () => {
    const left = async () => (await readdir(folder)).filter((name) => name.startsWith('slipway-demo-'));
    expect(await left()).toHaveLength(1);
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(await left()).toEqual([]);
  });
});

describe('a refused demo', () => {
  it('checks its port before it creates anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const result = await runInProcess(['serve', '--demo'], { SLIPWAY_PORT: String(port) });
    expect(result).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `slipway: the address 127.0.0.1:${port} is already in use: choose another with SLIPWAY_PORT\n`,
    });
  });

  it('refuses settings that name existing data, and changes nothing', async () => {
    const data = await mkdtemp(join(tmpdir(), 'slipway-demo-data-'));
    onTestFinished(() => rm(data, { recursive: true }));
    await writeFile(join(data, 'slipway.sqlite'), 'data');
    const settings = {
      SLIPWAY_DATA_DIR: data,
      SLIPWAY_DATABASE_URL: 'postgres://127.0.0.1:1/slipway',
      SLIPWAY_BLOB_URL: 's3://bucket',
    };
    for (const [name, value] of Object.entries(settings)) {
      const result = await runInProcess(['serve', '--demo'], { [name]: value });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toBe(
        `slipway: --demo creates its own temporary data and cannot be combined with ${name}, which names existing data. Unset ${name}, or start without --demo.\n`,
      );
    }
    expect(await readdir(data)).toEqual(['slipway.sqlite']);
  });
});
