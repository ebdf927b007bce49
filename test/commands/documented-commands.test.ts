/** Every shell command of the docs, the pages and the command line help; uploads run with hostile values. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadCommand } from '../../src/apps/lists/upload-example.tsx';
import { uploadHelp } from '../../src/commands/uploader/upload-command.ts';
import { dsymZip, mapping, nativeZip, uuid } from '../packages/symbol-fixtures.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { fetchedSessionCookie, fetchSignIn } from '../support/fetch-sign-in.ts';
import {
  builtProgram,
  builtUploader,
  createInstallation,
  type Installation,
  type RunningServer,
} from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))].filter(
  (name) => name.endsWith('.md'),
);
const settings = {
  SLIPWAY_ADMIN_API_KEY: 'key-of-the-documented-commands',
  SLIPWAY_ADMIN_PASSWORD: 'a long password',
};
const tools = ['curl', 'git', 'bash'];
const hasTools = tools.every((name) => ['/usr/bin', '/bin'].some((folder) => existsSync(join(folder, name))));

interface ShellLine {
  from: string;
  text: string;
}

/** Returns commands with their continuation lines, without comments. */
const linesOf = (from: string, block: string): ShellLine[] =>
  block
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => ({ from, text: line.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));

const inDocs = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    linesOf(page, block),
  ),
);
const isUpload = ({ text }: ShellLine) =>
  /^curl .*\/api\/users\/\S+\/apps\b/.test(text) ||
  /^(npx )?slipway upload /.test(text) ||
  /^node slipway\.mjs (?!simulate)/.test(text);

/** Texts that a commit message may begin with or contain. */
const hostile = [
  '</etc/hostname',
  '@/etc/hostname',
  '<',
  '@-',
  'a;type=text/html;filename=x',
  `"quotes", 'quotes' and \`id\` $(id) $HOME \\`,
  'one line\n\nand @another\n<third',
  '- a list\n- of changes',
];

/** Values that a program of ours could mistake for something else; curl and the shell get all of them. */
const inNode = hostile.filter((value) => /^(- |@|"quotes|one line)/.test(value));
const startsNode = ({ text }: ShellLine) => !text.startsWith('curl ');

describe('documented shell lines', () => {
  it('never let curl treat a value as a file name', () => {
    expect(inDocs.length).toBeGreaterThan(50);
    const shown = [
      ...inDocs,
      ...linesOf('page', uploadCommand('http://h', 'me')),
      ...linesOf('help', uploadHelp('x')),
    ];
    const forms = shown.flatMap(({ from, text }) =>
      [...text.matchAll(/(?:-F|--form)[ =]("[^"]*"|'[^']*'|\S+)/g)].map(([, value = '']) => [from, value]),
    );
    expect(forms.length).toBeGreaterThan(3);
    const files = /^["']?(file|ios_simulator_zip)=@[\w./-]+["']?$/;
    expect(forms.filter(([, value = '']) => !files.test(value))).toEqual([]);
  });

  it('use a command name that exists on the machine', () => {
    const clones = ['README.md', 'docs/command-line.md', 'docs/operations.md', 'docs/development.md'];
    expect(inDocs.filter(({ from, text }) => text.includes('npx slipway') && !clones.includes(from))).toEqual(
      [],
    );
  });
});

describe.runIf(runsEverything && hasTools)('documented uploads (needs curl, git and bash)', () => {
  let slipway: Installation;
  let server: RunningServer;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    server = await slipway.serveInProcess({ environment: settings });
    for (const name of ['acme', 'weather']) await slipway.runJson(['project', 'add', name]);
    const { folder } = slipway;
    await writeFile(join(folder, 'app.apk'), buildApk({ packageName: 'com.example.documented' }));
    await writeFile(join(folder, 'app-release.apk'), buildApk({ packageName: 'com.example.documented' }));
    await writeFile(join(folder, 'app-release.aab'), buildBundle());
    await writeFile(join(folder, 'app-release.ipa'), buildIpa());
    for (const name of ['build', 'app/build/outputs/mapping/release'])
      await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, 'build/Tide.dSYM.zip'), dsymZip(uuid));
    await writeFile(join(folder, 'app/build/outputs/mapping/release/mapping.txt'), mapping());
    await writeFile(join(folder, 'native-debug-symbols.zip'), nativeZip());
    await mkdir(join(folder, 'bin'));
    const start = `#!/bin/sh\nexec ${process.execPath} ${builtProgram} "$@"\n`;
    await writeFile(join(folder, 'bin/slipway'), start);
    await writeFile(join(folder, 'bin/npx'), '#!/bin/sh\nexec "$@"\n');
    await writeFile(join(folder, 'bin/node'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
    for (const name of ['slipway', 'npx', 'node']) await chmod(join(folder, 'bin', name), 0o755);
    await copyFile(builtUploader, join(folder, 'slipway.mjs'));
    git(['init', '--quiet', '--initial-branch=@home;type=x']);
  }, 60_000);
  afterAll(() => slipway.remove());

  const git = (args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: slipway.folder,
    });
  const bash = async (script: string, value = '') => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: slipway.folder,
      env: {
        HOME: slipway.folder,
        PATH: `${join(slipway.folder, 'bin')}:/usr/bin:/bin`,
        SLIPWAY_URL: server.origin,
        SLIPWAY_API_KEY: settings.SLIPWAY_ADMIN_API_KEY,
        VALUE: value,
      },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => (stdout += text));
    child.stderr.on('data', (text) => (stderr += text));
    const [code] = await once(child, 'close');
    return { code, stdout, stderr };
  };
  /** Adapts a command to the test server and replaces the documented value with a hostile one. */
  const adapted = ({ text }: ShellLine) =>
    text
      .replaceAll(/https?:\/\/(127\.0\.0\.1:8080|apps\.example\.com)/g, server.origin)
      .replace(/^curl /, 'curl --silent --show-error ')
      .replace(/^((npx )?slipway upload|node slipway\.mjs) /, '$1 --json ')
      .replace(/message=Nightly build|"Nightly build"/, (words) =>
        words.startsWith('"') ? '"$VALUE"' : 'message=$VALUE',
      )
      .replace(/message="First build"/, 'message="$VALUE"')
      .replace('/PACKAGE/', '/com.example.documented/');
  const lines = [...inDocs.filter(isUpload)];

  it('are present in the docs', () => {
    expect(lines.map(({ from }) => from)).toEqual(
      expect.arrayContaining([
        'README.md',
        'docs/uploading.md',
        'docs/distribution-pages.md',
        'docs/command-line.md',
      ]),
    );
    expect(lines.length).toBeGreaterThanOrEqual(7);
  });

  it.each(hostile)(
    'store %j unchanged',
    async (value) => {
      git(['commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '--message', value]);
      const inPage = linesOf('page', uploadCommand(server.origin, 'admin'));
      for (const line of [...lines, ...inPage].filter((one) => !startsNode(one) || inNode.includes(value))) {
        const { code, stdout, stderr } = await bash(adapted(line), value);
        expect([line.text, code, stderr]).toEqual([line.text, 0, expect.anything()]);
        expect([line.text, stdout]).toEqual([line.text, expect.stringMatching(/^\{.*\}\n?$/)]);
        const answer = JSON.parse(stdout);
        expect([line.text, answer.error]).toEqual([line.text, false]);
        if (adapted(line).includes('$VALUE')) expect(answer.results.message).toBe(value);
        if (line.text.includes('git log')) {
          expect(answer.results.distribution.release_note).toBe(value);
          expect(answer.results.distribution.title).toBe('@home;type=x');
        }
      }
    },
    60_000,
  );

  it('work exactly as the copy button of the API page copies them', async () => {
    const cookie = fetchedSessionCookie(
      await fetchSignIn(server.origin, 'admin', settings.SLIPWAY_ADMIN_PASSWORD),
    );
    const page = await fetch(`${server.origin}/docs`, { headers: { cookie: cookie ?? '' } });
    const copied = [...(await page.text()).matchAll(/<code>(curl [^<]*)<\/code>/g)].map(([, text = '']) =>
      text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    );
    // Those of /api/v1 name resources that do not exist; the recipes of docs/api.md call it.
    const commands = copied
      .filter((text) => !text.includes('/api/v1/'))
      .flatMap((text) => linesOf('/docs', text));
    expect(commands.filter(isUpload).length).toBeGreaterThanOrEqual(2);
    for (const command of commands) {
      const { code, stdout } = await bash(adapted(command));
      expect([command.text, code, JSON.parse(stdout)]).toEqual([command.text, 0, expect.anything()]);
      expect([command.text, JSON.parse(stdout).error ?? false]).toEqual([command.text, false]);
    }
  }, 60_000);
});
