/** Each check of the doctor at its limits. `test/proxy` covers complete requests through a proxy. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOidcProvider } from '../../src/accounts/single-sign-on/oidc-provider.ts';
import { readConfig } from '../../src/config.ts';
import { readSmtpUrl } from '../../src/mail/mail-config.ts';
import {
  checkCertificate,
  evaluateCertificate,
  type PeerCertificate,
} from '../../src/operations/doctor/check-certificate.ts';
import { checkLdap } from '../../src/operations/doctor/check-ldap.ts';
import {
  checkClock,
  checkDatabase,
  checkDataFolder,
  checkTotals,
  evaluateDiskSpace,
} from '../../src/operations/doctor/check-machine.ts';
import { checkMail } from '../../src/operations/doctor/check-mail.ts';
import { checkAddress, checkProxyHeaders } from '../../src/operations/doctor/check-proxy.ts';
import { checkSingleSignOn } from '../../src/operations/doctor/check-single-sign-on.ts';
import { createDoctor } from '../../src/operations/doctor/create-doctor-http.ts';
import { createProbeTokens } from '../../src/operations/doctor/doctor-probe.ts';
import type { ProbeOutcome } from '../../src/operations/doctor/public-address.ts';
import { createPublicAddress } from '../../src/operations/doctor/public-address-http.ts';
import { createSmtpMailServer } from '../../src/operations/doctor/smtp-mail-server.ts';
import { startHostileProvider } from '../support/hostile-oidc-provider.ts';
import { runInProcess } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startSamlService } from '../support/saml-service.ts';
import { addApp } from '../support/sample-rows.ts';
import { hasSlapd, personEntry, startSlapd } from '../support/slapd.ts';
import { startTestService } from '../support/test-service.ts';

const now = Date.UTC(2026, 10, 21);
const dayMs = 86_400_000;

describe('the check of storage totals', () => {
  it('reports a difference until a sweep recalculates the totals', async () => {
    const slipway = await startTestService({ blobs: 'memory' });
    onTestFinished(() => slipway.close());
    const { data } = slipway;
    const admin = await data.owners.findOwner('admin');
    await addApp(data, admin?.id ?? '', { count: 2 });
    const look = () => checkTotals(data.quotas.countWrongTotals);
    expect(await look()).toMatchObject({ state: 'ok', advice: null });
    const away = checkTotals(() => Promise.reject(new Error('the database is down')));
    expect(await away).toMatchObject({ state: 'skipped' });
    expect(await checkTotals(async () => 2)).toMatchObject({
      id: 'totals',
      state: 'problem',
      found: '2 storage totals are wrong.',
      advice: expect.stringContaining('slipway sweep'),
    });
    expect((await checkTotals(async () => 1)).found).toBe('One storage total is wrong.');
  });
});

describe('the check of single sign-on', () => {
  const issuer = 'https://login.example.com';
  const origin = 'https://apps.example.com';

  it('passes when the provider responds, and shows the redirect URI to register', async () => {
    const provider = { issuer, ask: async () => undefined };
    const { state, found } = await checkSingleSignOn(provider, origin);
    expect(state).toBe('ok');
    expect(found).toContain(`${origin}/sign-in/sso/callback`);
    expect(await checkSingleSignOn(provider, null)).toMatchObject({ state: 'warning' });
  });

  it('reports a problem when nothing or another provider responds', async () => {
    const hostile = await startHostileProvider();
    onTestFinished(() => hostile.close());
    const config = readConfig(hostile.settings).singleSignOn;
    if (!config) throw new Error('no provider is set');
    const ask = () =>
      checkSingleSignOn({ ...config, ask: createOidcProvider(config, () => now).ask }, origin);
    expect(await ask()).toMatchObject({ state: 'ok' });
    hostile.metadata.issuer = issuer;
    expect(await ask()).toMatchObject({ state: 'problem', found: expect.stringContaining('issuer') });
    await hostile.close();
    const away = await ask();
    expect(away).toMatchObject({ state: 'problem' });
    expect(away.found).toMatch(/cannot be used: (the connection was refused|the connection was reset)\.$/);
  });

  it('runs only when a provider is configured', async () => {
    const hostile = await startHostileProvider();
    onTestFinished(() => hostile.close());
    for (const [settings, count] of [
      [{}, 0],
      [hostile.settings, 1],
    ] as const) {
      const slipway = await startTestService({ blobs: 'memory', settings });
      onTestFinished(() => slipway.close());
      const checks = await createDoctor({
        config: slipway.config,
        versions: { slipway: '1', node: null },
        secret: null,
        now: Date.now,
        stores: null,
      })();
      expect(checks.filter(({ id }) => id === 'single-sign-on')).toHaveLength(count);
    }
  });
});

describe('the check of SAML', () => {
  it('reads the metadata of the provider', async () => {
    const { provider, slipway, writeMetadata, close } = await startSamlService('sqlite', []);
    onTestFinished(close);
    const check = async () => {
      const parts = { config: slipway.config, versions: { slipway: '1', node: null }, secret: null };
      const checks = await createDoctor({ ...parts, now: Date.now, stores: null })();
      return checks.find(({ id }) => id === 'saml');
    };
    expect(await check()).toMatchObject({ state: 'ok', found: expect.stringContaining(provider.audience) });
    await writeMetadata('<a/>');
    expect(await check()).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('EntityDescriptor'),
    });
  });
});

describe.skipIf(!hasSlapd)('the check of LDAP', () => {
  it('connects, binds and counts people', async () => {
    const slapd = await startSlapd([personEntry('ada'), personEntry('bob')].join(''));
    onTestFinished(() => slapd.close());
    const check = (settings: Record<string, string> = {}) => {
      const { ldap } = readConfig({ ...slapd.settings, ...settings });
      if (!ldap) throw new Error('not configured');
      return checkLdap(ldap);
    };
    const good = await check();
    expect(good).toMatchObject({ state: 'ok', advice: null });
    expect(good.found).toBe(`2 people can be read at ${slapd.ldaps} below dc=example,dc=com.`);
    expect((await check({ SLIPWAY_LDAP_URL: slapd.ldap })).state).toBe('ok');
    expect(await check({ SLIPWAY_LDAP_USER_FILTER: '(uid=nobody)' })).toMatchObject({ state: 'warning' });
    expect(await check({ SLIPWAY_LDAP_BIND_PASSWORD: 'wrong' })).toMatchObject({
      state: 'problem',
      advice: 'Check SLIPWAY_LDAP_BIND_DN and its password.',
    });
    expect(await check({ SLIPWAY_LDAP_BASE_DN: 'ou=nowhere,dc=example,dc=com' })).toMatchObject({
      state: 'problem',
      advice: expect.stringContaining('ou=nowhere,dc=example,dc=com'),
    });
    const elsewhere = await check({ SLIPWAY_LDAP_URL: slapd.ldaps.replace('localhost', '127.0.0.1') });
    expect(elsewhere).toMatchObject({ state: 'problem', found: expect.stringContaining('certificate') });
    await slapd.stop();
    expect(await check()).toMatchObject({
      state: 'problem',
      found: `${slapd.ldaps} cannot be used: the connection was refused.`,
      advice: expect.stringContaining('SLIPWAY_LDAP_URL'),
    });
  });
});

describe('the certificate check', () => {
  const seen: PeerCertificate = {
    problem: null,
    issuer: 'R11',
    names: ['apps.example.com'],
    validFrom: now - 10 * dayMs,
    validTo: now + 80 * dayMs,
    rsaBits: null,
    publiclyTrusted: true,
  };
  const stateOf = (more: Partial<PeerCertificate>) => {
    const { state, found } = evaluateCertificate({ ...seen, ...more }, 'apps.example.com', now);
    return `${state}: ${found}`;
  };

  it('passes when the certificate is trusted and suitable for iOS', () => {
    expect(stateOf({})).toBe('ok: Trusted and valid until 9 Feb 2027. Issued by R11.');
    expect(stateOf({ rsaBits: 2048, validTo: now + 14 * dayMs })).toMatch(/^ok/);
  });

  it.each<[string, Partial<PeerCertificate>, RegExp]>([
    ['expiring', { validTo: now + 14 * dayMs - 1 }, /^warning: It expires on 4 Dec 2026, in 13 days\./],
    ['expiring today', { validTo: now + 1 }, /^warning: .* in 0 days/],
    ['of an own authority', { publiclyTrusted: false }, /^warning: .*private authority/],
    ['expired', { problem: 'CERT_HAS_EXPIRED', validTo: now - dayMs }, /^problem: It expired on 20 Nov 2026/],
    [
      'not valid yet',
      { problem: 'CERT_NOT_YET_VALID', validFrom: now + dayMs },
      /^problem: It is not valid before 22 Nov/,
    ],
    ['self-signed', { problem: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, /^problem: It is self-signed/],
    [
      'for another host',
      { problem: 'ERR_TLS_CERT_ALTNAME_INVALID', names: ['a.b'] },
      /^problem: It was issued for a\.b and not for apps\./,
    ],
    [
      'without its chain',
      { problem: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      /^problem: The chain is incomplete/,
    ],
    [
      'of an unknown authority',
      { problem: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' },
      /^problem: This machine does not trust its authority: R11/,
    ],
    ['revoked', { problem: 'CERT_REVOKED' }, /^problem: It was revoked/],
    ['bad in another way', { problem: 'SOMETHING_ELSE' }, /^problem: It is not trusted \(SOMETHING_ELSE\)/],
    ['without names', { names: [] }, /^problem: .*subjectAltName/],
    ['valid for too long', { validTo: seen.validFrom + 827 * dayMs }, /^problem: It is valid for 827 days/],
    ['with a weak key', { rsaBits: 1024 }, /^problem: Its RSA key has 1024 bits/],
  ])('reports that a certificate is %s', (_name, more, words) => {
    expect(stateOf(more)).toMatch(words);
  });
});

describe('the checks of disk space, data folder and clock', () => {
  it('compare free space with the minimum and with the largest upload', () => {
    const limits = { minimumFreeBytes: 100, maxUploadBytes: 1000 };
    expect(evaluateDiskSpace(99, limits).state).toBe('problem');
    expect(evaluateDiskSpace(100, limits).state).toBe('warning');
    expect(evaluateDiskSpace(1099, limits).state).toBe('warning');
    expect(evaluateDiskSpace(1100, limits).state).toBe('ok');
  });

  it('require a private data folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    expect((await checkDataFolder(folder)).state).toBe('ok');
    await chmod(folder, 0o750);
    expect(await checkDataFolder(folder)).toMatchObject({
      state: 'problem',
      found: `${folder} has the mode 0750: other accounts can access it.`,
      advice: `Run chmod 700 ${folder}.`,
    });
    expect((await checkDataFolder(join(folder, 'none'))).state).toBe('problem');
  });

  it('compare the clock with others and with the build date', () => {
    const other = (apartMs: number) => [{ whose: 'database' as const, time: now + apartMs, at: now }];
    expect(checkClock(now, other(60_000)).state).toBe('ok');
    expect(checkClock(now, other(-60_001))).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('60 s'),
    });
    expect(checkClock(now, []).state).toBe('ok');
    const nodes = (clockOffsetMs: number) => [
      { host: 'apps1', clockOffsetMs: 4 },
      { host: 'apps2', clockOffsetMs },
    ];
    expect(checkClock(now, [], nodes(-60_000)).state).toBe('ok');
    expect(checkClock(now, [], nodes(6 * 60_000))).toMatchObject({
      state: 'problem',
      found: 'The clocks of the node apps2 and of the database differ by 360 s.',
    });
    expect(checkClock(0, []).state).toBe('problem');
  });

  it('report why the database does not respond', async () => {
    const refused = () => Promise.reject(new Error('no such host.\n'));
    expect((await checkDatabase('PostgreSQL', refused)).check).toMatchObject({
      state: 'problem',
      found: 'The database does not respond: no such host.',
    });
  });
});

describe('the checks of the public address', () => {
  const origin = new URL('https://apps.example.com');
  const answered = (more: object): ProbeOutcome => ({
    kind: 'answered',
    status: 200,
    headers: {},
    proved: true,
    body: Buffer.from(''),
    localPort: 1,
    ...more,
  });
  const seen = (more: object, forwarded: object = {}) =>
    answered({
      body: Buffer.from(
        JSON.stringify({
          proof: 'x',
          seen: {
            scheme: 'https',
            host: 'apps.example.com',
            client: '198.51.100.7',
            peer: { address: '10.0.0.2', port: 2 },
            forwarded: { for: '198.51.100.7', proto: 'https', host: 'apps.example.com', ...forwarded },
            ...more,
          },
        }),
      ),
    });

  it.each<[string, ProbeOutcome, RegExp]>([
    [
      'correct headers',
      seen({}),
      /^ok: The server sees https, apps\.example\.com and the visitor’s address 198\.51\.100\.7\./,
    ],
    ['an address appended to a forged one', seen({}, { for: '192.0.2.77, 198.51.100.7' }), /^ok/],
    ['no proxy', seen({ peer: { address: '10.0.0.2', port: 1 } }), /^ok: Requests come directly/],
    ['a missing X-Forwarded-Host when the Host is kept', seen({}, { host: null }), /^ok/],
    [
      'an IPv4 address on an IPv6 socket',
      seen({ client: '::ffff:10.0.0.2', peer: { address: '::ffff:10.0.0.2', port: 2 } }),
      /^problem: The proxy at 10\.0\.0\.2 forwards/,
    ],
    [
      'an ignored scheme',
      seen({ scheme: 'http', client: '10.0.0.2' }, { for: '10.0.0.2' }),
      /^problem: The proxy at 10\.0\.0\.2 forwards/,
    ],
    [
      'two missing headers',
      seen({}, { for: null, proto: null }),
      /^problem: The proxy does not send X-Forwarded-For, X-Forwarded-Proto\./,
    ],
    [
      'forged headers passed on',
      seen({ client: '192.0.2.77' }, { for: '192.0.2.77' }),
      /^problem: The proxy passes on X-Forwarded-For from visitors/,
    ],
    ['a response of an older server', answered({ body: Buffer.from('{"proof":"x"}') }), /^skipped/],
  ])('evaluate %s', (_name, outcome, words) => {
    const { state, found } = checkProxyHeaders(origin, outcome);
    expect(`${state}: ${found}`).toMatch(words);
  });

  it.each<[ProbeOutcome, RegExp]>([
    [
      { kind: 'failed', code: 'ENOTFOUND', message: 'getaddrinfo' },
      /could not be reached: the host name does not exist/,
    ],
    [{ kind: 'failed', code: 'EPROTO', message: 'wrong version number' }, /does not use TLS/],
    [
      answered({ proved: false, status: 301, headers: { location: '/x' } }),
      /redirects to https:\/\/apps\.example\.com/,
    ],
    [answered({ proved: false, status: 504 }), /responds with status 504/],
    [answered({ proved: false }), /Another program responds/],
  ])('report an address that does not lead to this server: %#', (outcome, words) => {
    expect(checkAddress(origin, outcome)).toMatchObject({
      state: 'problem',
      found: expect.stringMatching(words),
    });
  });
});

describe('a response from the public address', () => {
  const listenWith = async (answer: (socket: Socket) => void): Promise<URL> => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      answer(socket);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    return new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  };
  const ask = (origin: URL, timeoutMs?: number) =>
    createPublicAddress({
      origin,
      probes: createProbeTokens('secret'),
      now: Date.now,
      ...(timeoutMs ? { timeoutMs } : {}),
    });

  it('times out when nothing is sent', async () => {
    const silent = ask(await listenWith(() => undefined), 200);
    const timedOut = { kind: 'failed', code: 'ETIMEDOUT' };
    expect(await silent.reach()).toMatchObject(timedOut);
    expect(await silent.announceUpload(1000)).toMatchObject(timedOut);
    expect(await silent.sendInChunks()).toMatchObject({ outcome: timedOut });
  });

  it('is truncated when it is too long', async () => {
    const origin = await listenWith((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n');
      socket.write(Buffer.alloc(257 * 1024));
    });
    expect(await ask(origin).reach()).toMatchObject({ kind: 'failed', message: 'the answer is too large' });
  });

  it('is rejected without the proof that it is from this server', async () => {
    const origin = await listenWith((socket) => {
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"proof":"x"}',
      );
    });
    expect(checkAddress(origin, await ask(origin).reach())).toMatchObject({ state: 'problem' });
  });

  it('is accepted without TLS', async () => {
    const origin = await listenWith((socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    expect(await checkCertificate(new URL(`https://127.0.0.1:${origin.port}`), now)).toMatchObject({
      state: 'problem',
      found: 'The TLS connection failed: the server does not use TLS.',
    });
  });
});

describe('the mail check', () => {
  it('reports a server that rejects the login, without the password that it echoes', async () => {
    const server = createServer((socket) => {
      socket.write('220 mail.example.com ESMTP\r\n');
      socket.on('error', () => undefined);
      socket.on('data', (line) => {
        if (/^EHLO/i.test(String(line))) socket.write('250-mail.example.com\r\n250 AUTH PLAIN\r\n');
        else socket.write(`535 wrong password hunter22 (${String(line).trim()})\r\n`);
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const smtp = readSmtpUrl(`smtp://ada:hunter22@127.0.0.1:${port}?tls=off`);
    const { state, found } = await checkMail(createSmtpMailServer(smtp));
    expect(state).toBe('problem');
    expect(found).toContain(`127.0.0.1:${port} cannot be used: `);
    expect(found).toContain('535 wrong password');
    expect(found).not.toContain('hunter22');
    expect(found).not.toContain(Buffer.from('\0ada\0hunter22').toString('base64'));
  });

  it('passes when the server responds, and warns when none is configured', async () => {
    expect((await checkMail({ name: 'mail:25', verify: async () => undefined })).state).toBe('ok');
    expect((await checkMail(null)).state).toBe('warning');
  });
});

describe('slipway doctor', () => {
  it('creates nothing in an empty installation, and reports that', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const dataFolder = join(folder, 'data');
    const settings = { SLIPWAY_DATA_DIR: dataFolder, SLIPWAY_URL: 'https://apps.example.invalid' };
    const refused = await runInProcess(['doctor'], settings);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`no Slipway database at ${dataFolder}/slipway.sqlite`);
    // A database on another machine, without the data folder.
    const slipway = await startTestService({ blobs: 'memory' });
    onTestFinished(slipway.close);
    const { database } = slipway.config;
    const { code, stdout: out } = await runInProcess(['doctor'], {
      ...settings,
      SLIPWAY_DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.path}` : '',
    });
    expect(code).toBe(1);
    // The line break depends on the width of the output.
    expect(out.replace(/\s+/g, ' ')).toContain(`✗ Data folder The folder ${dataFolder} does not exist.`);
    expect(out).toContain('– Database           The data folder does not exist.');
    expect(out).toContain('– Public address     The secret of this installation could not be read');
    expect(out).toMatch(/\n {23}→ Start the server once/);
    expect(out).toMatch(/\n\nFound \d problems\.\n$/);
    expect(out).not.toContain('\x1b');
    await expect(rm(dataFolder)).rejects.toThrow('ENOENT');
  });

  it.runIf(runsEverything)(
    'reads the clock of PostgreSQL, and accepts a server without a proxy',
    async () => {
      const slipway = await startTestService({ dialect: 'postgres' });
      onTestFinished(slipway.close);
      const { code, stdout: out } = await runInProcess(['doctor', '--json'], {
        SLIPWAY_DATA_DIR: slipway.config.dataFolder,
        SLIPWAY_DATABASE_URL: slipway.config.database.kind === 'postgres' ? slipway.config.database.url : '',
        SLIPWAY_URL: slipway.origin,
      });
      const states = Object.fromEntries(
        out
          .trim()
          .split('\n')
          .map((line) => {
            const { id, state, found } = JSON.parse(line);
            return [id, `${state}: ${found}`];
          }),
      );
      // http is the only problem; all other checks run nevertheless.
      expect(states).toMatchObject({
        database: 'ok: PostgreSQL responds.',
        clock: 'ok: The clock agrees with the other clocks.',
        https: expect.stringMatching(/^problem/),
        certificate: expect.stringMatching(/^skipped/),
        address: expect.stringMatching(/^ok/),
        'proxy-headers': 'ok: Requests come directly from clients; there is no proxy in between.',
        'upload-size': expect.stringMatching(/^ok/),
        'request-buffering': expect.stringMatching(/^ok/),
        downloads: expect.stringMatching(/^ok/),
      });
      expect(code).toBe(1);
    },
  );
});
