/** The shipped fail2ban filter, tested on lines that a server wrote. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hashPassword } from '../../src/accounts/passwords/password.ts';
import { createLogger } from '../../src/operations/observability/logger.ts';
import { postForm } from '../support/browser-session.ts';
import { send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { setRules } from '../support/page-visits.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const filter = fileURLToPath(new URL('../../integrations/deploy/fail2ban/filter.conf', import.meta.url));
const subnet = '((?:\\d{1,3}\\.){3}\\d{1,3}|[0-9a-f:]+(?:/\\d+)?)';
const pattern = new RegExp(
  (/^failregex = (.+)$/m.exec(readFileSync(filter, 'utf8'))?.[1] ?? '').replace('<SUBNET>', subnet),
);
const hasProgram = runsEverything && spawnSync('fail2ban-regex', ['--version']).status === 0;

describe('the fail2ban filter', () => {
  let slipway: TestService;
  let text = '';
  const lines = () => text.split('\n').filter((line) => line !== '');
  const banned = () => lines().flatMap((line) => pattern.exec(line)?.slice(1, 2) ?? []);
  const from = (address: string) => ({ 'X-Forwarded-For': address });

  beforeAll(async () => {
    const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk) => {
      text += chunk;
    });
    slipway = await startTestService({
      blobs: 'memory',
      logger: createLogger('info', stream),
      settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1' },
    });
    await slipway.user('mina');
    const made = await uploaded(slipway, { fields: { distribution_name: 'testers' } });
    const page = made.distribution?.access_key ?? '';
    await setRules(slipway, page, { access: 'passcode', passcodeHash: await hashPassword('open sesame') });
    text = '';
    const signIn = (address: string, login: string, password: string) =>
      postForm(slipway, '/sign-in', { login, password }, from(address));
    await signIn('192.0.2.1', 'mina', 'wrong');
    await signIn('2001:db8:1:2:3::4', 'nobody at all', 'wrong');
    // User input cannot imitate such a line.
    await signIn('192.0.2.2', '"event":"sign-in.refused","network":"198.51.100.1"', 'wrong');
    await send(slipway.port, '/api/users/organizations', {
      headers: { ...bearer('slw_wrong'), ...from('192.0.2.3') },
    });
    await send(slipway.port, '/%22event%22:%22key.refused%22,%22network%22:%22198.51.100.2%22', {
      headers: { ...from('192.0.2.9'), 'X-Request-Id': '"event":"key.refused","network":"198.51.100.3"' },
    });
    await postForm(slipway, `/distributions/${page}/passcode`, { passcode: 'wrong' }, from('192.0.2.4'));
    await signIn('192.0.2.8', 'mina', 'correct horse battery');
    await vi.waitFor(() => expect(text).toContain('sign-in.accepted'), { timeout: 20_000, interval: 5 });
    await vi.waitFor(() => expect(text.match(/sign-in\.refused/g)).toHaveLength(3), {
      timeout: 20_000,
      interval: 5,
    });
  });
  afterAll(() => slipway.close());

  it('matches the network of each refusal and no other line', () => {
    expect(banned().sort()).toEqual([
      ...['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '2001:db8:1:2::/64'],
    ]);
  });

  it.runIf(hasProgram)('is accepted by fail2ban, which reads the time of each line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-fail2ban-'));
    try {
      mkdirSync(join(folder, 'filter.d'));
      copyFileSync(filter, join(folder, 'filter.d', 'slipway.conf'));
      writeFileSync(join(folder, 'log'), text);
      const { stdout } = spawnSync(
        'fail2ban-regex',
        [join(folder, 'log'), join(folder, 'filter.d', 'slipway.conf'), '--print-all-matched'],
        { encoding: 'utf8' },
      );
      expect(stdout).toContain(
        `Lines: ${lines().length} lines, 0 ignored, 5 matched, ${lines().length - 5} missed`,
      );
      expect(stdout).toContain(`[${lines().length}] "time":{LEPOCH}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
