import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultLimits, listSettings, readConfig } from '../src/config.ts';
import { ConfigError } from '../src/core/settings.ts';

const errorsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }
  return [];
};

describe('settings', () => {
  it('are all optional', () => {
    const config = readConfig({});
    expect(config).toEqual({
      host: '127.0.0.1',
      language: 'en',
      port: 8080,
      publicUrl: null,
      signUp: 'closed',
      signUpQuota: { maxStorageBytes: 5 * 1024 ** 3, maxBuilds: 100, maxProjects: 5 },
      requiredFactor: 'off',
      dataFolder: resolve('data'),
      database: { kind: 'sqlite', path: join(resolve('data'), 'slipway.sqlite') },
      blobs: { kind: 'disk', folder: join(resolve('data'), 'blobs') },
      secret: null,
      previousSecret: null,
      breachedPasswordsUrl: null,
      mail: null,
      trustedProxies: [],
      trustedRoots: null,
      legacyKeys: true,
      appSecrets: true,
      webhookNetworks: [],
      firstAdministrator: { name: 'admin', email: null, password: null, apiKey: null },
      singleSignOn: null,
      saml: null,
      samlKey: null,
      ldap: null,
      audit: { stream: null, days: null, signInDays: 90, addressDays: 30, eraseDays: 30 },
      passwords: true,
      sessions: { idleMs: 14 * 24 * 60 * 60_000 },
      stop: { drainMs: 0 },
      capacity: {
        minTransferBytesPerSecond: 1024,
        maxRequestsPerAddress: 100,
        countsLoopback: false,
        maxRequests: null,
      },
      rates: {
        uploadsPerHourByKey: 10_000,
        uploadsPerHourByOwner: 20_000,
        refusedUploadsPerHour: 100,
        failedPackageSecondsPerHour: 600,
        requestsPerMinute: 1200,
        countsLoopback: false,
      },
      logLevel: null,
      slowQueryMs: 500,
      storedFiles: { checkedWeekly: false, checkBytesPerSecond: 32 * 1024 * 1024, sendfile: null },
      metrics: null,
      limits: defaultLimits,
      warnings: [],
    });
  });

  it('limit accounts from open sign-up, and accept "none" as no limit', () => {
    const read = (settings: Record<string, string>) => readConfig(settings).signUpQuota;
    expect(
      read({
        SLIPWAY_SIGN_UP_STORAGE: '1GiB',
        SLIPWAY_SIGN_UP_BUILDS: 'none',
        SLIPWAY_SIGN_UP_PROJECTS: '0',
      }),
    ).toEqual({ maxStorageBytes: 1024 ** 3, maxBuilds: null, maxProjects: 0 });
    for (const name of ['SLIPWAY_SIGN_UP_STORAGE', 'SLIPWAY_SIGN_UP_BUILDS', 'SLIPWAY_SIGN_UP_PROJECTS']) {
      expect(() => read({ [name]: 'much' })).toThrow(`${name} must be a limit such as`);
    }
  });

  it('treat an empty or blank value as absent', () => {
    expect(readConfig(Object.fromEntries(listSettings().map((name) => [name, ' '])))).toEqual(readConfig({}));
  });

  it('are each read from the environment', () => {
    const config = readConfig({
      SLIPWAY_HOST: '0.0.0.0',
      SLIPWAY_PORT: '0',
      SLIPWAY_URL: 'https://Apps.Example.com:8443/',
      SLIPWAY_DATA_DIR: '/srv/slipway',
      SLIPWAY_DATABASE_URL: 'postgres://u:p@db/slipway',
      SLIPWAY_DATABASE_CONNECTIONS: '40',
      SLIPWAY_BLOB_URL: 'file:///mnt/blobs',
      SLIPWAY_MAX_UPLOAD: '1.5 GiB',
      SLIPWAY_SMTP_URL: 'smtps://mail%40example.com:p%C3%A4ss%20w@smtp.example.com',
      SLIPWAY_MAIL_FROM: 'Slipway <builds@example.com>',
      SLIPWAY_SECRET: 's'.repeat(32),
      SLIPWAY_TRUST_PROXY: '10.0.0.0/8, ::1,fd00::/8',
      SLIPWAY_LEGACY_KEYS: 'Off',
      SLIPWAY_APP_SECRETS: 'off',
      SLIPWAY_HOOK_NETWORKS: '10.1.0.0/16,::1',
      SLIPWAY_SESSION_IDLE_DAYS: '1',
      SLIPWAY_UPLOADS_PER_HOUR_BY_KEY: '1000000000',
      SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER: 'Off',
      SLIPWAY_REFUSED_UPLOADS_PER_HOUR: '7',
      SLIPWAY_FAILED_PACKAGE_SECONDS_PER_HOUR: '60',
      SLIPWAY_REQUESTS_PER_MINUTE: '1200',
      SLIPWAY_ANONYMOUS_UPLOADS_PER_NETWORK: '3',
      SLIPWAY_ANONYMOUS_UPLOADS: '100000',
      SLIPWAY_ANONYMOUS_UPLOAD_WAIT_SECONDS: '0',
      SLIPWAY_ANONYMOUS_SPOOL: '2 GiB',
      SLIPWAY_DRAIN_SECONDS: '20',
      SLIPWAY_MIN_TRANSFER_RATE: '2 KiB/s',
      SLIPWAY_MAX_REQUESTS_PER_ADDRESS: 'Off',
      SLIPWAY_MAX_REQUESTS: '5000',
      SLIPWAY_LOG_LEVEL: 'Warn',
      SLIPWAY_SLOW_QUERY_MS: '0',
      SLIPWAY_METRICS: '[::1]:9464',
      SLIPWAY_ADMIN_NAME: 'chief',
      SLIPWAY_ADMIN_EMAIL: 'chief@example.com',
      SLIPWAY_ADMIN_PASSWORD: 'long enough for this',
      SLIPWAY_ADMIN_API_KEY: 'long-enough-for-a-key',
    });
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      publicUrl: 'https://apps.example.com:8443',
      dataFolder: '/srv/slipway',
      database: { kind: 'postgres', url: 'postgres://u:p@db/slipway', maxConnections: 40 },
      blobs: { kind: 'disk', folder: '/mnt/blobs' },
      secret: 's'.repeat(32),
      trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/8'],
      legacyKeys: false,
      webhookNetworks: ['10.1.0.0/16', '::1'],
      sessions: { idleMs: 24 * 60 * 60_000 },
      rates: {
        uploadsPerHourByKey: 1_000_000_000,
        uploadsPerHourByOwner: null,
        refusedUploadsPerHour: 7,
        failedPackageSecondsPerHour: 60,
        requestsPerMinute: 1200,
        countsLoopback: true,
      },
      stop: { drainMs: 20_000 },
      capacity: {
        minTransferBytesPerSecond: 2048,
        maxRequestsPerAddress: null,
        countsLoopback: true,
        maxRequests: 5000,
      },
      logLevel: 'warn',
      slowQueryMs: 0,
      metrics: { host: '::1', port: 9464 },
      mail: {
        smtp: {
          host: 'smtp.example.com',
          port: 465,
          tls: 'always',
          login: { user: 'mail@example.com', password: 'päss w' },
        },
        from: { name: 'Slipway', address: 'builds@example.com' },
      },
      limits: {
        maxUploadBytes: 1.5 * 1024 ** 3,
        anonymousUploadsPerNetwork: 3,
        anonymousUploads: 100_000,
        anonymousUploadWaitSeconds: 0,
        anonymousSpoolBytes: 2 * 1024 ** 3,
      },
      warnings: [],
    });
    expect(config.firstAdministrator).toEqual({
      name: 'chief',
      email: 'chief@example.com',
      password: 'long enough for this',
      apiKey: 'long-enough-for-a-key',
    });
  });

  it.each([
    ['SLIPWAY_PORT', ['-1', '65536', '80.5', 'http', '0x50g']],
    [
      'SLIPWAY_URL',
      ['apps.example.com', 'ftp://x', 'https://x/path', 'https://x/?q', 'https://x/#f', 'https://u@x'],
    ],
    ['SLIPWAY_DATABASE_URL', ['mysql://x', 'sqlite:', 'slipway.sqlite', 'postgres://x:port/']],
    ['SLIPWAY_DATABASE_CONNECTIONS', ['5', '101', 'many']],
    ['SLIPWAY_BLOB_URL', ['file:', '/mnt/blobs', 'ftp://x']],
    ['SLIPWAY_LOG_LEVEL', ['loud', 'trace']],
    ['SLIPWAY_SLOW_QUERY_MS', ['-1', '0.5', '1s', '3600001']],
    ['SLIPWAY_FILE_CHECK_RATE', ['1023', 'fast', '-1MiB']],
    [
      'SLIPWAY_METRICS',
      ['9464', 'on', '127.0.0.1', '::1:9464', '127.0.0.1:65536', '[x]:1', 'http://x:1', 'a b:1'],
    ],
    ['SLIPWAY_MAX_UPLOAD', ['0', '-1', '4 gallons', 'GiB', '1e3', '9999999TiB']],
    ['SLIPWAY_SECRET', ['short', 's'.repeat(31)]],
    [
      'SLIPWAY_TRUST_PROXY',
      ['true', '*', '10.0.0.0/33', '::1/129', '10.0.0.0/8/8', 'proxy.example', '10.0.0.1,'],
    ],
    ['SLIPWAY_HOOK_NETWORKS', ['all', '10.0.0.0/33', 'inside.example', '10.0.0.1,']],
    ['SLIPWAY_MAIL_FROM', ['nobody', 'Slipway <>', 'a@b, c@d', `${'n'.repeat(101)} <a@b>`]],
    ['SLIPWAY_LEGACY_KEYS', ['maybe']],
    ['SLIPWAY_SIGN_UP', ['maybe', 'on']],
    ['SLIPWAY_UPLOADS_PER_HOUR_BY_KEY', ['-1', '1.5', 'many', '1000000001', '1e3']],
    ['SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER', ['10/h', 'on']],
    ['SLIPWAY_REFUSED_UPLOADS_PER_HOUR', ['-1', 'few']],
    ['SLIPWAY_FAILED_PACKAGE_SECONDS_PER_HOUR', ['-1', 'few']],
    ['SLIPWAY_ANONYMOUS_UPLOADS_PER_NETWORK', ['0', '-1', '1.5', '10001', 'off']],
    ['SLIPWAY_ANONYMOUS_UPLOADS', ['1', '100001', 'many']],
    ['SLIPWAY_ANONYMOUS_UPLOAD_WAIT_SECONDS', ['61', '-1', '10s']],
    ['SLIPWAY_ANONYMOUS_SPOOL', ['0', 'half', '-1GiB']],
    ['SLIPWAY_REQUESTS_PER_MINUTE', ['none', '00', '99999999999']],
    ['SLIPWAY_SESSION_IDLE_DAYS', ['0', '31', '-1', '1.5', '2 weeks', 'never']],
    ['SLIPWAY_MIN_TRANSFER_RATE', ['-1', 'slow', '1KiB/min', '1e3']],
    ['SLIPWAY_MAX_REQUESTS_PER_ADDRESS', ['-1', '1.5', 'none', '1000001', '00']],
    ['SLIPWAY_MAX_REQUESTS', ['off', '0', '-1', '1000001']],
    ['SLIPWAY_DRAIN_SECONDS', ['301', '-1', '1.5', '10s', 'soon']],
    ['SLIPWAY_ADMIN_NAME', ['with space', 'api', 'x'.repeat(65)]],
    ['SLIPWAY_ADMIN_EMAIL', ['nowhere']],
    ['SLIPWAY_ADMIN_PASSWORD', ['short', 'x'.repeat(257)]],
    [
      'SLIPWAY_ADMIN_API_KEY',
      ['short', 'with a space in the middle', 'x'.repeat(513), 'schlüssel-mit-umlauten'],
    ],
  ])('%s refuses invalid values by name', (name, values) => {
    for (const value of values) {
      const errors = errorsOf({ [name]: value });
      expect({ value, count: errors.length }).toEqual({ value, count: 1 });
      expect(errors[0]).toContain(name);
    }
  });

  describe('for single sign-on', () => {
    const needed = {
      SLIPWAY_OIDC_ISSUER: 'https://login.example.com/realm',
      SLIPWAY_OIDC_CLIENT_ID: 'slipway',
    };

    it('use given values, and derive the others from the issuer', () => {
      expect(readConfig(needed).singleSignOn).toEqual({
        issuer: 'https://login.example.com/realm',
        clientId: 'slipway',
        clientSecret: null,
        name: 'login.example.com',
        scopes: [],
        groupsClaim: null,
        signUp: 'invited',
        domains: [],
      });
      const { singleSignOn, passwords } = readConfig({
        ...needed,
        SLIPWAY_OIDC_CLIENT_SECRET: 'hush',
        SLIPWAY_OIDC_NAME: 'Example',
        SLIPWAY_OIDC_SIGN_UP: 'Open',
        SLIPWAY_OIDC_DOMAINS: 'Example.com, sub.example.org, exämple.com',
        SLIPWAY_PASSWORDS: 'off',
      });
      expect(singleSignOn).toMatchObject({ clientSecret: 'hush', name: 'Example', signUp: 'open' });
      expect(singleSignOn?.domains).toEqual(['example.com', 'sub.example.org', 'xn--exmple-cua.com']);
      expect(passwords).toBe(false);
    });

    it.each([['http://localhost:9000'], ['http://127.0.0.1:9000/realm'], ['http://[::1]:9000']])(
      'trust %s only on this machine',
      (issuer) => {
        expect(readConfig({ ...needed, SLIPWAY_OIDC_ISSUER: issuer }).singleSignOn?.issuer).toBe(issuer);
      },
    );

    it.each([
      ['SLIPWAY_OIDC_ISSUER', 'http://login.example.com'],
      ['SLIPWAY_OIDC_ISSUER', 'http://127.0.0.1.example.com'],
      ['SLIPWAY_OIDC_ISSUER', 'login.example.com'],
      ['SLIPWAY_OIDC_ISSUER', 'ftp://login.example.com'],
      ['SLIPWAY_OIDC_ISSUER', 'https://user:password@login.example.com'],
      ['SLIPWAY_OIDC_ISSUER', 'https://login.example.com/?x'],
      ['SLIPWAY_OIDC_ISSUER', `https://login.example.com/${'x'.repeat(1024)}`],
      ['SLIPWAY_OIDC_CLIENT_ID', ''],
      ['SLIPWAY_OIDC_NAME', 'n'.repeat(61)],
      ['SLIPWAY_OIDC_SIGN_UP', 'everybody'],
      ['SLIPWAY_OIDC_DOMAINS', 'example.com'],
      ['SLIPWAY_PASSWORDS', 'maybe'],
    ])('refuse %s=%s by name', (name, value) => {
      const errors = errorsOf({ ...needed, [name]: value });
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain(name);
    });

    it('refuse invalid domains', () => {
      const open = { ...needed, SLIPWAY_OIDC_SIGN_UP: 'open' };
      for (const domains of ['example', '@example.com', '*.example.com', 'https://example.com', 'a b.com']) {
        expect(errorsOf({ ...open, SLIPWAY_OIDC_DOMAINS: domains }), domains).toHaveLength(1);
      }
      const many = Array.from({ length: 101 }, (_, index) => `d${index}.example.com`).join();
      expect(errorsOf({ ...open, SLIPWAY_OIDC_DOMAINS: many })[0]).toContain('at most 100');
    });

    it('refuse an incomplete configuration, and a server without any way to sign in', () => {
      for (const name of listSettings().filter((one) => /OIDC_(?!ISSUER)/.test(one))) {
        const value = name === 'SLIPWAY_OIDC_SIGN_UP' ? 'open' : 'example.com';
        expect(errorsOf({ [name]: value }).join(), name).toContain('SLIPWAY_OIDC_ISSUER');
      }
      expect(errorsOf({ SLIPWAY_PASSWORDS: 'off' })).toEqual([
        expect.stringContaining('SLIPWAY_OIDC_ISSUER'),
      ]);
    });
  });

  describe('for LDAP', () => {
    const given = { SLIPWAY_LDAP_URL: 'ldaps://ldap.example.com', SLIPWAY_LDAP_BASE_DN: 'dc=example,dc=com' };
    const errorsOf = (more: Record<string, string>) => {
      try {
        readConfig({ ...given, ...more });
        return '';
      } catch (error) {
        return String((error as Error).message);
      }
    };

    it('need only an address and a base DN', () => {
      expect(readConfig(given).ldap).toMatchObject({
        host: 'ldap.example.com',
        port: 636,
        tls: 'ldaps',
        reader: null,
        groupBaseDn: 'dc=example,dc=com',
        attributes: { login: ['uid', 'mail'], id: ['entryUUID'] },
        syncIntervalMs: 3_600_000,
        signUp: 'invited',
      });
      const plain = readConfig({
        ...given,
        SLIPWAY_LDAP_URL: 'ldap://[::1]',
        SLIPWAY_LDAP_TYPE: 'active-directory',
      });
      expect(plain.ldap).toMatchObject({ host: '::1', port: 389, tls: 'starttls', isActiveDirectory: true });
    });

    it.each<[Record<string, string>, string]>([
      [{ SLIPWAY_LDAP_URL: 'https://ldap.example.com' }, 'must be an address such as ldaps:'],
      [{ SLIPWAY_LDAP_URL: 'ldaps://user:secret@ldap.example.com' }, 'must be an address such as ldaps:'],
      [{ SLIPWAY_LDAP_URL: '' }, 'cannot be used without SLIPWAY_LDAP_URL'],
      [{ SLIPWAY_LDAP_BASE_DN: '' }, 'requires SLIPWAY_LDAP_BASE_DN'],
      [
        { SLIPWAY_PASSWORDS: 'off', SLIPWAY_OIDC_ISSUER: 'https://o.example', SLIPWAY_OIDC_CLIENT_ID: 'x' },
        'requires SLIPWAY_PASSWORDS=on',
      ],
      [{ SLIPWAY_LDAP_BIND_DN: 'cn=reader' }, 'require each other'],
      [{ SLIPWAY_LDAP_BIND_PASSWORD: 'secret' }, 'require each other'],
      [{ SLIPWAY_LDAP_BIND_PASSWORD_FILE: '/nonexistent' }, 'cannot be read'],
      [{ SLIPWAY_LDAP_CA: '/nonexistent' }, 'cannot be read'],
      [{ SLIPWAY_LDAP_USER_FILTER: '(uid=*)(x=*)' }, 'must be a filter'],
      [{ SLIPWAY_LDAP_GROUP_FILTER: 'objectClass=*' }, 'must be a filter'],
      [{ SLIPWAY_LDAP_ATTRIBUTES: 'id=a b' }, 'must list pairs'],
      [{ SLIPWAY_LDAP_ATTRIBUTES: 'login=uid)(' }, 'must list pairs'],
      [
        { SLIPWAY_LDAP_SIGN_UP: 'open', SLIPWAY_LDAP_DOMAINS: 'example.com' },
        'requires SLIPWAY_LDAP_CONFIRMS_EMAIL',
      ],
    ])('refuse %j', (more, reason) => {
      expect(errorsOf(more)).toContain(reason);
    });
  });

  describe('for SAML', () => {
    const needed = {
      SLIPWAY_SAML_METADATA: '/etc/slipway/provider.xml',
      SLIPWAY_URL: 'https://apps.example.com',
    };

    it('use given values', () => {
      expect(readConfig(needed).saml).toMatchObject({
        name: 'SAML',
        metadata: { kind: 'file', path: '/etc/slipway/provider.xml' },
        attributes: { subject: null },
        confirmsEmail: false,
        signUp: 'invited',
        domains: [],
      });
      const { saml, passwords } = readConfig({
        ...needed,
        SLIPWAY_SAML_METADATA: 'https://login.example.com/metadata',
        SLIPWAY_SAML_NAME: 'Example',
        SLIPWAY_SAML_ATTRIBUTES: 'email=mail, subject = employeeNumber,name=urn:oid:2.5.4.3',
        SLIPWAY_SAML_CONFIRMS_EMAIL: 'on',
        SLIPWAY_SAML_SIGN_UP: 'open',
        SLIPWAY_SAML_DOMAINS: 'example.com',
        SLIPWAY_PASSWORDS: 'off',
      });
      expect(saml).toMatchObject({
        metadata: { kind: 'url', url: 'https://login.example.com/metadata' },
        attributes: { subject: 'employeeNumber', email: ['mail'], name: ['urn:oid:2.5.4.3'] },
        domains: ['example.com'],
      });
      expect(passwords).toBe(false);
    });

    it.each([
      ['SLIPWAY_SAML_METADATA', 'https://user:password@login.example.com'],
      ['SLIPWAY_SAML_NAME', 'n'.repeat(61)],
      ['SLIPWAY_SAML_KEY', '/nowhere/key.pem'],
      ['SLIPWAY_SAML_KEY', 'package.json'],
      ['SLIPWAY_SAML_ATTRIBUTES', 'mail'],
      ['SLIPWAY_SAML_ATTRIBUTES', 'phone=mobile'],
      ['SLIPWAY_SAML_SIGN_UP', 'everybody'],
      ['SLIPWAY_SAML_CONFIRMS_EMAIL', 'maybe'],
      ['SLIPWAY_URL', ''],
    ])('refuse %s=%s by name', (name, value) => {
      const errors = errorsOf({ ...needed, [name]: value });
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain(name);
    });

    it('refuse an incomplete configuration', () => {
      expect(errorsOf({ SLIPWAY_SAML_NAME: 'Example', SLIPWAY_URL: needed.SLIPWAY_URL })).toEqual([
        'SLIPWAY_SAML_NAME cannot be used without SLIPWAY_SAML_METADATA',
      ]);
      const open = { ...needed, SLIPWAY_SAML_SIGN_UP: 'open', SLIPWAY_SAML_DOMAINS: 'example.com' };
      expect(errorsOf(open)).toEqual([expect.stringContaining('SLIPWAY_SAML_CONFIRMS_EMAIL=on')]);
    });
  });

  it('do not print a secret that they refuse', () => {
    const secrets = ['SLIPWAY_SECRET', 'SLIPWAY_ADMIN_PASSWORD', 'SLIPWAY_ADMIN_API_KEY'];
    for (const name of secrets) expect(errorsOf({ [name]: 'hush!' }).join()).not.toContain('hush!');
    const database = errorsOf({ SLIPWAY_DATABASE_URL: 'postgres://user:hush!@x:port/' });
    expect(database.join()).not.toContain('hush!');
  });

  it.each([
    ['smtp://mail.example.com', { port: 587, tls: 'offered', login: null }],
    ['smtp://mail.example.com:25/?tls=off', { port: 25, tls: 'off', login: null }],
    ['smtp://u:p@mail.example.com', { port: 587, tls: 'required', login: { user: 'u', password: 'p' } }],
    ['smtp://u:p@mail.example.com?tls=offered', { tls: 'offered' }],
    ['smtp://mail.example.com?tls=required', { tls: 'required' }],
    ['smtps://[::1]:4650', { host: '::1', port: 4650, tls: 'always', login: null }],
  ])('accept %s as a mail server', (url, expected) => {
    const env = { SLIPWAY_SMTP_URL: url, SLIPWAY_MAIL_FROM: 'builds@example.com' };
    expect(readConfig(env).mail).toMatchObject({
      smtp: expected,
      from: { name: '', address: 'builds@example.com' },
    });
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://u@mail.example.com',
    'smtp://:hush!@mail.example.com',
    'smtp://u:hush!%@mail.example.com',
    'smtp://u:hush!@mail.example.com/path',
    'smtp://u:hush!@mail.example.com#x',
    'smtp://u:hush!@mail.example.com?tls=maybe',
    'smtp://u:hush!@mail.example.com?pool=true',
    'smtp://u:hush!@mail.example.com?tls=off&tls=off',
    'smtps://u:hush!@mail.example.com?tls=off',
    'smtp://u:hush!@mail example.com',
  ])('refuse %s as a mail server, without printing its password', (url) => {
    const errors = errorsOf({ SLIPWAY_SMTP_URL: url, SLIPWAY_MAIL_FROM: 'builds@example.com' });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^SLIPWAY_SMTP_URL: /);
    expect(errors[0]).not.toContain('hush!');
  });

  it('require a sender with a mail server', () => {
    const errors = errorsOf({ SLIPWAY_SMTP_URL: 'smtp://mail.example.com' });
    expect(errors).toEqual([expect.stringContaining('SLIPWAY_MAIL_FROM')]);
    expect(readConfig({ SLIPWAY_MAIL_FROM: '"Slipway, builds" <b@example.com>' }).mail).toBeNull();
  });

  it('report all errors at once', () => {
    const env = {
      SLIPWAY_PORT: 'x',
      SLIPWAY_URL: 'x',
      SLIPWAY_DATABASE_URL: 'x',
      SLIPWAY_BLOB_URL: 'x',
      SLIPWAY_SECRET: 'x',
    };
    const errors = errorsOf(env);
    expect(errors.map((fault) => /SLIPWAY_\w+/.exec(fault)?.[0]).sort()).toEqual(Object.keys(env).sort());
  });

  it.each([
    ['sqlite:other.sqlite', '/srv/other.sqlite'],
    ['sqlite:/var/other.sqlite', '/var/other.sqlite'],
    ['sqlite:///var/other.sqlite', '/var/other.sqlite'],
  ])('resolve %s as a file relative to the data folder', (url, path) => {
    const { database } = readConfig({ SLIPWAY_DATA_DIR: '/srv', SLIPWAY_DATABASE_URL: url });
    expect(database).toEqual({ kind: 'sqlite', path });
  });

  it.each([
    ['1000', 1000],
    ['5 MB', 5_000_000],
    ['500MiB', 500 * 1024 ** 2],
    ['4gib', 4 * 1024 ** 3],
    ['1.5KiB', 1536],
  ])('accept %s as a size', (text, bytes) => {
    const { limits } = readConfig({ SLIPWAY_MAX_UPLOAD: text });
    expect(limits.maxUploadBytes).toBe(bytes);
    expect(limits.anonymousSpoolBytes).toBe(4 * bytes);
  });

  it('warn about unknown settings, except those of other programs', () => {
    const env = { SLIPWAY_PROT: '1', SLIPWAY_API_KEY: 'x', SLIPWAY_TEST_SOMETHING: 'x', PATH: '/bin' };
    expect(readConfig(env).warnings).toEqual(['SLIPWAY_PROT is not a setting of this version of Slipway.']);
  });
});
