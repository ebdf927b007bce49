/** The built program, in the two processes that every run starts: a server on an empty folder, and a command that fails. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import {
  builtProgram,
  builtUploader,
  createInstallation,
  type Installation,
  jsonLines,
} from '../support/run-cli.ts';
import { list, secretsIn, shell } from './serve-kit.ts';

describe('the built program', () => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation('sqlite');
  });
  afterEach(() => slipway.remove());

  it('serves an empty folder, reads .env below the environment, accepts the first upload and exits with 0 at SIGTERM', async () => {
    await writeFile(
      join(slipway.folder, '.env'),
      'SLIPWAY_ADMIN_NAME="from-file"\nSLIPWAY_MAX_UPLOAD=5MiB\nSLIPWAY_PORT=eighty\n',
    );
    const server = await slipway.serve();
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    const { key, command } = secretsIn(await readFile(join(slipway.dataFolder, 'first-start.txt'), 'utf8'));
    expect((await list(server.origin, key)).status).toBe(200);
    await writeFile(join(slipway.folder, 'app.apk'), buildApk({ packageName: 'com.example.pasted' }));
    expect(await shell(command, slipway.folder)).toMatchObject({
      results: { package_name: 'com.example.pasted', revision: 1, user: { name: 'from-file' } },
    });
    const large = new FormData();
    large.set('file', new File([Buffer.alloc(8_000_000)], 'large.apk'));
    const answer = await fetch(`${server.origin}/api/users/from-file/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: large,
    });
    expect(answer.status).toBe(413);
    const uploader = await fetch(`${server.origin}/cli/slipway.mjs`);
    expect(await uploader.text()).toBe(await readFile(builtUploader, 'utf8'));
    const home = join(slipway.folder, 'home');
    const install = spawn(
      'sh',
      ['-c', `curl -fsSL '${server.origin}/cli/install' | sh && "$HOME/.local/bin/slipway" --help`],
      {
        env: { HOME: home, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
      },
    );
    let help = '';
    install.stdout.on('data', (text) => {
      help += text;
    });
    expect(await once(install, 'close')).toEqual([0, null]);
    expect(help).toMatch(/^Installed .*\/home\/\.local\/bin\/slipway\n[\s\S]*--owner/);
    const { code, stdout, stderr } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(jsonLines(stdout).length).toBeGreaterThanOrEqual(3);
    expect(stdout).not.toContain(key);
  });

  it('is executable, as npx requires, and exits with the status of its command when nothing reads its output', async () => {
    await writeFile(join(slipway.folder, 'app.apk'), buildApk());
    await writeFile(join(slipway.folder, 'no.apk'), 'nothing');
    const script = `"${builtProgram}" inspect app.apk no.apk --json | true; exit "\${PIPESTATUS[0]}"`;
    const child = spawn('bash', ['-c', script], {
      cwd: slipway.folder,
      env: { ...slipway.environment, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
    });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  });
});
