/** Behavior of all commands: exit codes, and output whose reader exits early. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeError } from '../../src/commands/command-line.ts';
import { CommitUnknown } from '../../src/core/errors.ts';
import { buildApk } from '../support/build-apk.ts';
import {
  builtProgram,
  builtUploader,
  createInstallation,
  type Installation,
  type RunningServer,
} from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';

const key = 'key-for-the-broken-pipes';

let slipway: Installation;
let server: RunningServer;
beforeAll(async () => {
  slipway = await createInstallation('sqlite');
  server = await slipway.serveInProcess({ environment: { SLIPWAY_ADMIN_API_KEY: key } });
  await writeFile(join(slipway.folder, 'app.apk'), buildApk({ packageName: 'com.example.pipe' }));
  await writeFile(join(slipway.folder, 'no.apk'), 'nothing');
});
afterAll(() => slipway.remove());

/** Runs a command whose output reader exits before it begins. */
async function intoNothing(command: string): Promise<{ code: number | null; stderr: string }> {
  const program = command.startsWith('slipway.mjs') ? builtUploader : builtProgram;
  const args = command.replace(/^slipway(\.mjs)? /, '');
  const script = `{ sleep 0.2; exec "$NODE" "$PROGRAM" ${args}; } | true; exit "\${PIPESTATUS[0]}"`;
  const child = spawn('bash', ['-c', script], {
    cwd: slipway.folder,
    env: {
      ...slipway.environment,
      NODE: process.execPath,
      PROGRAM: program,
      SLIPWAY_URL: server.origin,
      SLIPWAY_API_KEY: key,
    },
  });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

describe.runIf(runsEverything)('the process of a command whose output reader has exited', () => {
  it.each([
    ['slipway version --json', 0],
    ['slipway user password nobody --json', 1],
    ['slipway inspect app.apk no.apk --json', 1],
    ['slipway upload app.apk --owner admin --json', 0],
    ['slipway build list admin com.example.pipe --json', 0],
    ['slipway backup copy --json', 0],
    ['slipway --help', 0],
    ['slipway.mjs app.apk --owner admin --json', 0],
    ['slipway.mjs no.apk --owner admin --json', 1],
  ])('exits %s silently with its own status %i', async (command, status) => {
    const { code, stderr } = await intoNothing(command);
    expect([code, stderr]).toEqual([status, expect.not.stringMatching(/EPIPE|at .*\.js:\d|node:/)]);
  });

  it('still finishes its work', async () => {
    await intoNothing('slipway user add eve --email eve@example.com --json');
    const again = await slipway.run(['user', 'add', 'eve', '--email', 'other@example.com']);
    expect(again.code).toBe(1);
  });
});

describe('usage errors', () => {
  it.each([
    [[]],
    [['no-such-command']],
    [['serve', '--no-such-option']],
    [['user']],
    [['user', 'no-such-command']],
    [['user', 'add', 'ann']],
    [['project', 'add', 'gr\ufffdte', '--owner', 'admin']],
    [['user', 'add', 'ann', '--email', 'ann@example.com', '--password', 'x', '--password-stdin']],
    [['team', 'add', 'weather', 'chief', 'ann']],
    [['quota', 'set', 'admin', '--storage', 'much']],
    [['quota', 'set', 'admin', '--builds', '1.5']],
    [['build', 'list', 'admin', 'com.example', '--limit', 'many']],
    [['build', 'list', 'admin', 'com.example', '--platform', 'windows']],
    [['build', 'delete', 'admin', 'com.example', 'seven']],
    [['build', 'delete', 'admin', 'com.example', '1-9999']],
    [['key', 'add']],
    [['key', 'add', '--user', 'admin', '--expires', 'soon']],
    [['key', 'list', '--user', 'admin', '--project', 'weather']],
    [['move']],
    [['backup']],
    [['restore']],
    [['inspect']],
    [['upload']],
    [['upload', 'app.apk', '--owner']],
    [['simulate']],
    [['completion']],
    [['version', 'extra']],
  ])('%j exits with 2 and explains the error on standard error', async (args) => {
    const { code, stdout, stderr } = await slipway.run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/\S/);
  });
});

describe('an error', () => {
  it('that the operator can deal with is a sentence, any other a stack trace', () => {
    expect(describeError(new CommitUnknown(new Error('cut')))).toEqual([
      'slipway: the outcome of the commit is unknown: look whether the change was made before you repeat it',
    ]);
    expect(describeError(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toEqual([
      'slipway: no space',
    ]);
    expect(describeError(new TypeError('a defect')).length).toBeGreaterThan(1);
  });
});

describe('the version', () => {
  it('is printed by a command and by an option', async () => {
    const [facts] = await slipway.runJson(['version']);
    expect(facts).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/), node: process.version });
    for (const args of [['version'], ['--version']])
      expect((await slipway.run(args)).stdout).toBe(`${facts?.version}\n`);
  });
});
