/** Which installation a command works on: an existing one, never one that it would create. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/commands/command-line.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { dialects } from '../support/test-database.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The arguments of every command that opens a local installation and must not create one. */
const onInstallation: Record<string, readonly string[]> = {
  sweep: [],
  'audit verify': [],
  'audit export': [],
  'audit reseal': [],
  'person export': ['tess'],
  'person mentions': ['tess'],
  'person erase': ['tess'],
  retention: [],
  backup: ['copy'],
  move: ['--blob-url', 'file:elsewhere'],
  doctor: [],
  'user add': ['ann', '--email', 'ann@example.com'],
  'user password': ['ann'],
  'user email': ['ann', 'ann@example.com'],
  'user reset-second-factor': ['ann'],
  'workspace add': ['one'],
  'project add': ['one'],
  'team add': ['one', 'owner', 'ann'],
  'team remove': ['one', 'owner', 'ann'],
  'quota set': ['ann', '--builds', '1'],
  'build list': ['ann', 'com.example'],
  'build delete': ['ann', 'com.example', '1'],
  'build restore': ['ann', 'com.example', '1'],
  'key add': ['--user', 'ann'],
  'key list': ['--user', 'ann'],
  'key rotate': ['1', '--user', 'ann'],
  'key end-old-secret': ['1', '--user', 'ann'],
  'key revoke': ['1', '--user', 'ann'],
  'app rotate-secret': ['ann', 'com.example'],
  analyze: ['--all'],
  'secret rotate': [],
  'secret retire': [],
  'secret reset': [],
};
/** Commands that create one, and commands that need none. */
const others = [
  'serve',
  'migrate',
  'restore',
  'inspect',
  'bundle',
  'upload',
  'pull-request',
  'simulate',
  'version',
  'completion',
];

/** Commands on a server: `remote.test.ts`. */
const onServer = [
  ...['login', 'logout', 'whoami', 'publish', 'rollback'],
  ...['app list', 'app show', 'app delete', 'build show', 'build protect', 'device list', 'device remove'],
  ...['page list', 'page show', 'page change', 'page delete'],
  ...['tester list', 'tester add', 'tester remove'],
  ...['webhook list', 'webhook add', 'webhook remove', 'webhook test'],
];

const commandNames = () =>
  createProgram({ ...process, environment: {}, host: process }, () => undefined).commands.flatMap(
    (command) =>
      command.commands.length > 0
        ? command.commands.map((inner) => `${command.name()} ${inner.name()}`)
        : [command.name()],
  );

describe.each(dialects)('commands without an installation on %s', (dialect) => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation(dialect);
  });
  afterEach(() => slipway.remove());

  it('fail with one line that names the folder and the settings, and create nothing', async () => {
    expect(Object.keys(onInstallation).concat(others, onServer).sort()).toEqual(commandNames().sort());
    const place =
      dialect === 'sqlite' ? `at ${slipway.dataFolder}/slipway.sqlite` : 'on the PostgreSQL server';
    const settings = dialect === 'sqlite' ? 'SLIPWAY_DATA_DIR' : 'SLIPWAY_DATA_DIR, SLIPWAY_DATABASE_URL';
    const stderr = [
      `slipway: no Slipway database ${place} (data folder: ${slipway.dataFolder}; settings: no settings file, ${settings})`,
      'Start the server first, or name its settings: SLIPWAY_ENV_FILE=/etc/slipway.env slipway …',
      '',
    ].join('\n');
    for (const [name, args] of Object.entries(onInstallation)) {
      const dump = name === 'backup' && dialect === 'postgres' ? ['--dump', 'none'] : [];
      const result = await slipway.run([...name.split(' '), ...args, ...dump]);
      expect([name, result]).toEqual([name, { code: 1, signal: null, stdout: '', stderr }]);
    }
    expect(readdirSync(slipway.folder)).toEqual([]);
  });
});

describe('the settings file of an installation', () => {
  let slipway: Installation;
  let settings: string;
  beforeEach(async () => {
    slipway = await createInstallation('sqlite');
    settings = join(slipway.folder, 'slipway.env');
    await writeFile(settings, `SLIPWAY_DATABASE_URL=sqlite:${join(slipway.folder, 'other.sqlite')}\n`);
  });
  afterEach(() => slipway.remove());
  const record = () => join(slipway.dataFolder, 'settings-file');

  it('is recorded by the server, so that a command that knows only the data folder finds the same database', async () => {
    const server = await slipway.serveInProcess({ environment: { SLIPWAY_ENV_FILE: settings } });
    await server.stop();
    expect(readFileSync(record(), 'utf8')).toBe(`${settings}\n`);
    await slipway.runJson(['user', 'add', 'ann', '--email', 'ann@example.com']);
    expect(existsSync(join(slipway.dataFolder, 'slipway.sqlite'))).toBe(false);
    // The environment takes precedence over the file.
    const unused = `sqlite:${join(slipway.folder, 'unused.sqlite')}`;
    const environment = { SLIPWAY_DATABASE_URL: unused };
    const elsewhere = await slipway.run(['key', 'list', '--user', 'ann'], { environment });
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no Slipway database at') });
    const again = ['user', 'add', 'ann', '--email', 'other@example.com'];
    const { stderr } = await slipway.run(again, {
      environment: { SLIPWAY_ENV_FILE: settings },
    });
    expect(stderr).toMatch(/taken|in use/);
    await rm(settings);
    const refused = await slipway.run(['user', 'password', 'ann']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^slipway: the settings file of the server cannot be read: ENOENT[^\n]*settings-file\)\n$/,
    );
  });

  it('is no longer recorded once the server starts without one', async () => {
    await slipway.runJson(['migrate'], { environment: { SLIPWAY_ENV_FILE: settings } });
    expect(existsSync(record())).toBe(true);
    await slipway.runJson(['migrate']);
    expect(existsSync(record())).toBe(false);
  });

  it('passes only settings to commands, not variables that control how programs run', async () => {
    await slipway.runJson(['migrate'], { environment: { SLIPWAY_ENV_FILE: settings } });
    await writeFile(settings, `PATH=/nowhere\nNODE_OPTIONS=--bad\n${readFileSync(settings, 'utf8')}`);
    await slipway.runJson(['user', 'add', 'ann', '--email', 'ann@example.com']);
  });

  it('fails every command with one line when SLIPWAY_ENV_FILE names a missing file', async () => {
    const environment = { SLIPWAY_ENV_FILE: join(slipway.folder, 'none.env') };
    for (const args of [['serve'], ['user', 'password', 'ann']]) {
      const { code, stderr } = await slipway.run(args, { environment });
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^slipway: the settings file cannot be read: ENOENT[^\n]*\(SLIPWAY_ENV_FILE\)\n$/,
        ),
      ]);
    }
  });
});

const account = 'nobody';
const nobody = 65_534;
const canBecome = process.getuid?.() === 0 && existsSync('/usr/sbin/runuser');

/** Runs the documented installation under a separate root directory; absolute paths in the docs are placed below it. */
describe.runIf(runsEverything && canBecome)(
  'the installation that docs/operations.md describes (needs root)',
  () => {
    let machine: string;
    let slipway: Installation;
    beforeEach(async () => {
      machine = await mkdtemp(join(tmpdir(), 'slipway-machine-'));
      await chmod(machine, 0o755);
      slipway = await createInstallation('sqlite');
      for (const folder of ['etc/systemd/system', 'var/lib/slipway', 'usr/local/bin', 'srv', 'opt'])
        await mkdir(join(machine, folder), { recursive: true });
      await chown(join(machine, 'var/lib/slipway'), nobody, nobody);
      await symlink(root, join(machine, 'opt/slipway'));
    });
    afterEach(async () => {
      await slipway.remove();
      await rm(machine, { recursive: true, force: true });
    });

    /** Returns the code blocks of a page with the paths and account of this test. */
    const blocks = (page: string) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) =>
        text
          .replaceAll(/(?<![\w.])\/(etc|srv|opt|usr\/local|var\/lib)\//g, `${machine}/$1/`)
          .replaceAll(/root:slipway|-o slipway -g slipway/g, (words) =>
            words.startsWith('root') ? 'root:nogroup' : `-o ${account} -g nogroup`,
          ),
      );
    const shell = async (script: string) => {
      const child = spawn('sh', ['-e', '-c', script], {
        cwd: '/',
        env: {
          PATH: `${join(machine, 'usr/local/bin')}:${process.env.PATH}`,
          SLIPWAY_ENV_FILE: join(machine, 'etc/slipway.env'),
          SLIPWAY_ACCOUNT: account,
        },
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (text) => (stdout += text));
      child.stderr.on('data', (text) => (stderr += text));
      const [code] = await once(child, 'close');
      return { code, stdout, stderr };
    };
    const installed = (block: string) =>
      block
        .split('\n')
        .filter((line) => !/^(npm|useradd|systemctl|curl|cat \S+first-start)/.test(line))
        .join('\n');

    it('has a command line and a nightly backup that work exactly as documented', async () => {
      const operations = blocks('docs/operations.md');
      const install = operations.find((block) => block.includes('useradd')) ?? '';
      const done = await shell(installed(install));
      expect(done).toMatchObject({ code: 0, stderr: '' });
      const early = await shell('slipway user add ann --email ann@example.com');
      expect(early).toMatchObject({ code: 1, stdout: '' });
      expect(early.stderr).toContain(`no Slipway database at ${machine}/var/lib/slipway/slipway.sqlite`);
      expect(await shell('slipway migrate')).toMatchObject({ code: 0, stderr: '' });
      const add = operations.find((block) => block.includes('slipway user add')) ?? '';
      const added = await shell(add.replace(/^slipway doctor$/m, ''));
      expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('mika'), stderr: '' });
      const owners = execFileSync('stat', ['-c', '%U', join(machine, 'var/lib/slipway/slipway.sqlite')]);
      expect(String(owners).trim()).toBe(account);

      // The server creates it at its first start.
      const secret = join(machine, 'var/lib/slipway/secret');
      await writeFile(secret, 'f'.repeat(64), { mode: 0o600 });
      await chown(secret, nobody, nobody);
      const nightly = blocks('docs/backup.md').find((block) => block.includes('slipway-backup.timer')) ?? '';
      expect(await shell(installed(nightly))).toMatchObject({ code: 0, stderr: '' });
      for (let day = 1; day <= 20; day += 1)
        await mkdir(join(machine, `srv/backups/2020-01-${String(day).padStart(2, '0')}`));
      // What the unit runs, as its account.
      const unit = readFileSync(join(machine, 'etc/systemd/system/slipway-backup.service'), 'utf8');
      const [, command = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? [];
      const script = command.replaceAll(/\/(opt|srv)\//g, `${machine}/$1/`);
      expect(await shell(script)).toEqual({ code: 0, stdout: '', stderr: '' });
      const kept = readdirSync(join(machine, 'srv/backups')).sort();
      expect(kept).toHaveLength(14);
      expect(readdirSync(join(machine, 'srv/backups', kept.at(-1) ?? ''))).toContain('backup.json');
      const restored = join(machine, 'var/lib/restored');
      const back = await slipway.run(['restore', join(machine, 'srv/backups', kept.at(-1) ?? '')], {
        environment: { SLIPWAY_DATA_DIR: restored },
      });
      expect(back.code).toBe(0);
      const elsewhere = await shell(script.replace('/srv/backups', '/srv/missing'));
      expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('/srv/missing') });
    });

    it('explains to an operator who is not root what to do', async () => {
      const settings = join(machine, 'etc/slipway.env');
      await writeFile(settings, 'SLIPWAY_DATA_DIR=/nowhere\n', { mode: 0o600 });
      const run = `setpriv --reuid=${nobody} --regid=${nobody} --clear-groups ${root}/integrations/deploy/slipway doctor`;
      const { code, stderr } = await shell(run);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be read: run this command as root/)]);
    });
  },
);
