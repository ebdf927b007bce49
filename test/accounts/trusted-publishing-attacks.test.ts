/** Hostile ID tokens and issuers, on every database: a clear code each, no key, and nothing left behind. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportSPKI, importJWK } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTrustedPublisherChanges } from '../../src/accounts/trusted-publishing/trusted-publisher-changes.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { openSecondNode } from '../support/second-node.ts';
import { dialects } from '../support/test-database.ts';
import {
  exchangeToken,
  newSigner,
  signWith,
  startTestIssuer,
  type TestIssuer,
} from '../support/test-issuer.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const audience = 'https://apps.example.com';
const minute = 60_000;
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

describe.each(dialects)('attacks on trusted publishing on %s', (dialect) => {
  let slipway: TestService;
  let issuer: TestIssuer;
  /** A second process for the same database. */
  let second: Awaited<ReturnType<typeof openSecondNode>> | null = null;
  let iss = '';
  let now = Date.UTC(2026, 10, 28, 12);
  let count = 0;
  beforeAll(async () => {
    issuer = await startTestIssuer();
    slipway = await startTestService({
      dialect,
      blobs: 'memory',
      now: () => now,
      settings: { SLIPWAY_URL: audience, SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8' },
      outbound: { timeoutMs: 1_000 },
      limits: { wrongKeysPerHour: 100_000 },
    });
    await slipway.user('olga');
    await slipway.project('crew', { members: { olga: 'owner' } });
    if (dialect !== 'postgres') return;
    const settings = { SLIPWAY_URL: audience, SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8' };
    second = await openSecondNode(slipway, settings, () => now);
  });
  afterAll(async () => {
    await second?.close();
    await slipway.close();
    await issuer.close();
  });
  /** Every test has its own issuer, so that it loads keys. */
  beforeEach(async () => {
    iss = `${issuer.origin}/git${++count}`;
    issuer.respond = () => false;
    issuer.keys.splice(1);
    issuer.asked = [];
    await trust(iss);
  });

  const crew = async () => {
    const owner = await slipway.data.owners.findOwner('crew');
    if (owner?.kind !== 'project') throw new Error('there is no crew');
    return owner;
  };
  const trust = async (of: string, rules: { claim: string; equals: string }[] = []) => {
    const owner = await crew();
    const by = { kind: 'project', project: owner } as const;
    const changes = createTrustedPublisherChanges({
      data: slipway.data,
      now: () => now,
      wakeOutbox: () => undefined,
    });
    for (const { id } of await slipway.data.trustedPublishers.list(owner.id))
      await changes.remove(by, owner, id);
    return changes.create(by, owner, {
      ...{ name: 'CI', app: null, pageNamePattern: null, provider: 'gitlab', allowsSelfHosted: false },
      issuer: of,
      rules: [{ claim: 'project_path', equals: 'acme/tide' }, ...rules],
    });
  };
  const claimsOf = (claims: Record<string, unknown> = {}) => ({
    iss,
    aud: audience,
    sub: 'project_path:acme/tide',
    jti: `jti-${++count}`,
    iat: now / 1000,
    nbf: now / 1000,
    exp: now / 1000 + 300,
    project_path: 'acme/tide',
    project_id: '5',
    ...claims,
  });
  const token = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
    issuer.sign(claimsOf(claims), header);
  const errorOf = async (text: string, fields: Record<string, string> = {}) => {
    const { status, error, description, key } = await exchangeToken(slipway.port, text, {
      resource: 'crew',
      ...fields,
    });
    expect([status === 200, key === '']).toEqual([error === undefined, error !== undefined]);
    if (error !== undefined) expect([error, description]).not.toContain('');
    return error ?? 'exchanged';
  };
  const rowsLeft = async () => {
    const database = await openDatabase(slipway.config.database);
    try {
      const { rows } = await sql<{ keys: number; tokens: number }>`
        select (select count(*) from api_keys where trusted_publisher_id is not null) as keys,
          (select count(*) from used_id_tokens) as tokens`.execute(database.queries);
      return rows.map(({ keys, tokens }) => [Number(keys), Number(tokens)]);
    } finally {
      await database.close();
    }
  };

  it('refuses other audiences, times and claims, each with its code, and leaves nothing', async () => {
    const before = await rowsLeft();
    const seconds = now / 1000;
    const cases: [string, Record<string, unknown>][] = [
      ['invalid_token', { aud: 'https://other.example.com' }],
      ['invalid_token', { aud: `${audience}/` }],
      ['invalid_token', { aud: 'http://apps.example.com' }],
      ['invalid_token', { aud: [audience] }],
      ['invalid_token', { aud: [audience, 'https://other.example.com'] }],
      ['invalid_token', { aud: undefined }],
      ['invalid_token', { aud: { 0: audience } }],
      ['invalid_token', { iss: `${iss}/` }],
      ['invalid_token', { iss: iss.toUpperCase() }],
      ['invalid_token', { iss: [iss] }],
      ['invalid_token', { iss: undefined }],
      ['invalid_token', { iss: 'a'.repeat(10_000) }],
      ['invalid_token', { iss: `${iss}\u0000` }],
      ['token_expired', { iat: seconds - 900, nbf: undefined, exp: seconds - 61 }],
      ['token_expired', { iat: seconds - 900, nbf: undefined, exp: seconds - 60 }],
      ['token_not_yet_valid', { nbf: seconds + 61 }],
      ['token_not_yet_valid', { iat: seconds + 61, exp: seconds + 300 }],
      ['token_lives_too_long', { exp: seconds + 24 * 3600 + 1 }],
      ['token_lives_too_long', { iat: seconds - 364 * 86_400, exp: seconds + 86_400 }],
      ['invalid_claims', { exp: String(seconds + 300) }],
      ['invalid_claims', { exp: undefined }],
      ['invalid_claims', { iat: undefined, nbf: undefined }],
      ['invalid_claims', { exp: 1e300 }],
      ['invalid_claims', { nbf: null }],
      ['invalid_claims', { jti: 5 }],
      ['invalid_claims', { jti: '' }],
      ['invalid_claims', { jti: ['a'] }],
      ['invalid_claims', { jti: 'a\u0000b' }],
      ['invalid_claims', { jti: 'a'.repeat(256) }],
      ['no_publisher', { project_path: 'mallory/tide' }],
      ['no_publisher', { project_path: 'acme/tide2' }],
      ['no_publisher', { project_path: 'Acme/tide' }],
      ['no_publisher', { project_path: ['acme/tide'] }],
      ['no_publisher', { project_path: { toString: 'acme/tide' } }],
      ['no_publisher', { project_path: 'a'.repeat(10_000) }],
      ['no_publisher', { project_path: undefined }],
      ['no_publisher', { project_path: 'acme/tide\u0000' }],
      ['token_too_large', { padding: 'a'.repeat(16 * 1024) }],
    ];
    for (const [code, claims] of cases)
      expect([claims, await errorOf(await token(claims))]).toEqual([claims, code]);
    expect(await rowsLeft()).toEqual(before);
    // The limits themselves.
    for (const claims of [
      { iat: seconds - 900, nbf: undefined, exp: seconds - 59 },
      { iat: seconds + 60, nbf: undefined },
      { exp: seconds + 24 * 3600 },
      { jti: 'a'.repeat(255) },
      { jti: 'with spaces and 日本語' },
      { exp: seconds + 300.0001234, iat: seconds - 10.3333, nbf: seconds - 5.7777 },
    ])
      expect([claims, await errorOf(await token(claims))]).toEqual([claims, 'exchanged']);
  });

  it('refuses claims that other objects have, and values of every other kind', async () => {
    for (const claim of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      await trust(iss, [{ claim, equals: 'x' }]);
      expect([claim, await errorOf(await token())]).toEqual([claim, 'claim_differs']);
    }
    const [header] = (await token()).split('.');
    expect(header).not.toBe('');
    await trust(iss, [{ claim: 'protected', equals: 'true' }]);
    for (const value of [['true'], { a: 'true' }, null, 1, 'TRUE', '', 'true '])
      expect([value, await errorOf(await token({ protected: value }))]).toEqual([value, 'claim_differs']);
    for (const value of ['true', true])
      expect(await errorOf(await token({ protected: value }))).toBe('exchanged');
    const name = await exchangeToken(
      slipway.port,
      await token({ protected: `<b>\u202e${'x'.repeat(9_000)}\u0000` }),
      {
        resource: 'crew',
      },
    );
    expect(name.description.length).toBeLessThan(500);
    expect(name.description).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('accepts only signatures by the keys of the issuer, with RS256 or ES256', async () => {
    const [good = '', claims = '', signature = ''] = (await token()).split('.');
    const key = issuer.keys[0] ?? {};
    const { privateKey: foreign, jwk: foreignJwk } = await newSigner('RS256', 'first');
    const pem = await exportSPKI((await importJWK(key, 'RS256')) as CryptoKey);
    const hmac = (secret: string) =>
      signWith(new TextEncoder().encode(secret), claimsOf(), { alg: 'HS256', kid: 'first' });
    const none = (alg: unknown) => `${encode({ alg, kid: 'first' })}.${encode(claimsOf())}.`;
    const cases: [string, string][] = [
      ['unsupported_algorithm', none('none')],
      ['unsupported_algorithm', `${none('none')}AA`],
      ['unsupported_algorithm', `${none('NONE')}AA`],
      ['unsupported_algorithm', `${none(['RS256'])}AA`],
      ['unsupported_algorithm', `${none(undefined)}AA`],
      ['unsupported_algorithm', await hmac(pem)],
      ['unsupported_algorithm', await hmac(JSON.stringify(key))],
      [
        'unsupported_algorithm',
        `${encode({ alg: 'RS256', kid: 'first', crit: ['b64'], b64: false })}.${claims}.${signature}`,
      ],
      ['invalid_token', await signWith(foreign, claimsOf(), { kid: 'first' })],
      ['invalid_token', await signWith(foreign, claimsOf(), { kid: '../first' })],
      ['invalid_token', await signWith(foreign, claimsOf(), { kid: 'first', jwk: foreignJwk })],
      [
        'invalid_token',
        await signWith(foreign, claimsOf(), {
          kid: 'first',
          jku: `${issuer.origin}/jku`,
          x5u: `${issuer.origin}/x5u`,
        }),
      ],
      ['invalid_token', await token({}, { kid: 'second' })],
      ['malformed_token', await token({}, { kid: 5 })],
      ['invalid_token', `${good}.${encode(claimsOf())}.${signature}`],
      ['invalid_token', `${encode({ alg: 'ES256', kid: 'first' })}.${claims}.${signature}`],
      ['invalid_token', `${good}.${claims}.${encode('x'.repeat(256))}`],
    ];
    for (const [code, text] of cases) expect([text, await errorOf(text)]).toEqual([text, code]);
    expect(issuer.asked.some((path) => /jku|x5u/.test(path))).toBe(false);
    expect(await errorOf(`${good}.${claims}.${signature}`)).toBe('exchanged');
    // A key that the issuer has added is found a minute later, with one request.
    const added = await newSigner('ES256', 'second');
    issuer.keys.push(added.jwk);
    const withAdded = () => signWith(added.privateKey, claimsOf(), { alg: 'ES256', kid: 'second' });
    expect(await errorOf(await withAdded())).toBe('invalid_token');
    now += minute;
    expect(await errorOf(await withAdded())).toBe('exchanged');
    // Two keys without a name in the token, and a key for encryption.
    expect(await errorOf(await token({}, { kid: undefined }))).toBe('exchanged');
    issuer.keys.push({ ...foreignJwk, kid: 'third' }, { ...foreignJwk, kid: 'fourth', use: 'enc' });
    now += 60 * minute;
    expect(await errorOf(await token({}, { kid: undefined }))).toBe('invalid_token');
    expect(await errorOf(await signWith(foreign, claimsOf(), { kid: 'fourth' }))).toBe('invalid_token');
  });

  it('accepts one spelling of a token', async () => {
    const text = await token();
    const [header = '', claims = '', signature = ''] = text.split('.');
    const standard = (part: string) => Buffer.from(part, 'base64url').toString('base64');
    const repeated = (first: object, more: string) =>
      encode(`${JSON.stringify(first).slice(0, -1)},${more}}`);
    const cases = [
      '',
      'a',
      'a.b',
      'a.b.c',
      `${text}.`,
      `.${text}`,
      `${text}=`,
      `${text}\n`,
      ` ${text}`,
      `${header}.${claims}`,
      `${header}.${claims}.`,
      `${header}..${signature}`,
      [standard(header), standard(claims), standard(signature)].join('.'),
      `${header}.${claims}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1)}`,
      `${repeated({ alg: 'RS256' }, '"alg":"none"')}.${claims}.${signature}`,
      `${header}.${repeated(claimsOf(), '"aud":"https://other.example.com"')}.${signature}`,
      `${header}.${repeated(claimsOf(), '"\\u0061ud":"x"')}.${signature}`,
      `${encode('[]')}.${claims}.${signature}`,
      `${encode('null')}.${claims}.${signature}`,
      `${header}.${encode('"text"')}.${signature}`,
      `${header}.${Buffer.from([0xff, 0xfe]).toString('base64url')}.${signature}`,
      `${header}.${Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{}')]).toString('base64url')}.${signature}`,
    ];
    for (const one of cases) {
      const error = await errorOf(one);
      expect([one, /^(malformed_token|invalid_request|invalid_token)$/.test(error)]).toEqual([one, true]);
    }
    expect(await errorOf(text)).toBe('exchanged');
  });

  it('exchanges a token once, a hundred times at once on every node, with and without jti', async () => {
    for (const claims of [{}, { jti: undefined }]) {
      const text = await token(claims);
      const ports = [slipway.port, second?.port ?? slipway.port];
      const before = await rowsLeft();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          exchangeToken(ports[index % 2] ?? 0, text, { resource: 'crew' }),
        ),
      );
      const errors = answers.map(({ error }) => error ?? 'exchanged');
      expect(errors.filter((error) => error === 'exchanged')).toHaveLength(1);
      expect(errors.filter((error) => error === 'token_used')).toHaveLength(99);
      const [[keys = 0, tokens = 0] = []] = before;
      expect(await rowsLeft()).toEqual([[keys + 1, tokens + 1]]);
    }
    // An ES256 signature can be changed without the key; what it signs cannot.
    const signer = await newSigner('ES256', 'second');
    issuer.keys.push(signer.jwk);
    now += 60 * minute;
    const text = await signWith(signer.privateKey, claimsOf({ jti: undefined }), {
      alg: 'ES256',
      kid: 'second',
    });
    expect(await errorOf(text)).toBe('exchanged');
    const at = text.lastIndexOf('.') + 1;
    const raw = Buffer.from(text.slice(at), 'base64url');
    const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
    const s = order - BigInt(`0x${raw.subarray(32).toString('hex')}`);
    const other = Buffer.concat([raw.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
    expect(await errorOf(text.slice(0, at) + other.toString('base64url'))).toBe('token_used');
  });

  const answerWith = (
    discovery: (response: ServerResponse) => void,
    keys?: (response: ServerResponse) => void,
  ) => {
    issuer.respond = (request, response) => {
      const respond = request.url?.endsWith('/jwks') ? keys : discovery;
      respond?.(response);
      return respond !== undefined;
    };
  };
  const sends = (body: unknown) => (response: ServerResponse) => {
    response.end(JSON.stringify(body));
  };
  const redirects = (location: string) => (response: ServerResponse) => {
    response.writeHead(302, { Location: location }).end();
  };
  const jwks = () => `${iss}/.well-known/jwks`;

  it('trusts no document of another issuer, no redirect, nothing large, slow or elsewhere', async () => {
    const big = (response: ServerResponse) => {
      response.on('error', () => undefined).write('{"keys":["');
      for (let sent = 0; sent < 10; sent++) response.write('a'.repeat(1024 * 1024));
      response.end('"]}');
    };
    let reached = 0;
    const inside = createServer((_request, response) => {
      reached++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const secret = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/`;
    const cases: [(response: ServerResponse) => void, ((response: ServerResponse) => void)?][] = [
      [sends({ issuer: `${iss}/`, jwks_uri: jwks() })],
      [sends({ issuer: 'https://gitlab.com', jwks_uri: jwks() })],
      [sends({ issuer: [iss], jwks_uri: jwks() })],
      [sends({ jwks_uri: jwks() })],
      [sends([])],
      [sends(null)],
      [(response) => response.end('not json')],
      [(response) => response.writeHead(500).end()],
      [redirects('http://169.254.169.254/latest/meta-data')],
      [redirects(secret)],
      [sends({ issuer: iss, jwks_uri: 'http://169.254.169.254/jwks' })],
      [sends({ issuer: iss, jwks_uri: 'http://10.0.0.1/jwks' })],
      [sends({ issuer: iss, jwks_uri: 'file:///etc/passwd' })],
      [sends({ issuer: iss, jwks_uri: 5 })],
      [sends({ issuer: iss, jwks_uri: jwks() }), redirects(secret)],
      [sends({ issuer: iss, jwks_uri: jwks() }), big],
      [sends({ issuer: iss, jwks_uri: jwks() }), sends({ keys: {} })],
      [sends({ issuer: iss, jwks_uri: jwks() }), sends({ keys: Array(101).fill({ kty: 'RSA' }) })],
      [big],
      [() => undefined],
      [sends({ issuer: iss, jwks_uri: jwks() }), () => undefined],
    ];
    for (const [discovery, keys] of cases) {
      iss = `${issuer.origin}/case${++count}`;
      await trust(iss);
      // The documents name the issuer of their case.
      answerWith(discovery, keys);
      const { status, error } = await exchangeToken(slipway.port, await token(), { resource: 'crew' });
      expect([count, status, error]).toEqual([count, 503, 'issuer_unavailable']);
    }
    expect(reached).toBe(0);
    await new Promise((resolve) => inside.close(resolve));
    issuer.respond = () => false;
  });

  it('asks an issuer once a minute, keeps its keys for an hour, and waits for no other issuer', async () => {
    const hanging = `${issuer.origin}/hanging${count}`;
    const working = iss;
    issuer.respond = (request) => request.url?.startsWith('/hanging') ?? false;
    await trust(hanging);
    const owner = await crew();
    const [known] = await slipway.data.trustedPublishers.list(owner.id);
    if (!known) throw new Error('there is no publisher');
    await slipway.data.trustedPublishers.insert(
      owner.id,
      { ...known, name: 'working', issuer: working },
      null,
      now,
    );
    const waiting = Promise.all(
      Array.from({ length: 20 }, async () => errorOf(await token({ iss: hanging }))),
    );
    expect(await errorOf(await token({ iss: working }))).toBe('exchanged');
    expect(new Set(await waiting)).toEqual(new Set(['issuer_unavailable']));
    expect(issuer.asked.filter((path) => path.startsWith('/hanging'))).toHaveLength(1);
    issuer.respond = () => false;
    expect(await errorOf(await token({ iss: hanging }))).toBe('issuer_unavailable');
    now += minute;
    expect(await errorOf(await token({ iss: hanging }))).toBe('exchanged');
    issuer.asked = [];
    for (let times = 0; times < 5; times++)
      expect(await errorOf(await token({ iss: working }))).toBe('exchanged');
    for (let times = 0; times < 5; times++)
      expect(await errorOf(await token({ iss: working }, { kid: 'unknown' }))).toBe('invalid_token');
    expect(issuer.asked.length).toBeLessThanOrEqual(2);
    // Without the issuer, its keys work for the rest of the hour, and no longer.
    issuer.respond = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
    now += 50 * minute;
    expect(await errorOf(await token({ iss: working }))).toBe('exchanged');
    now += 70 * minute;
    expect(await errorOf(await token({ iss: working }))).toBe('issuer_unavailable');
  });

  it('writes nothing for tokens without a valid signature, and answers alike for unknown owners', async () => {
    const publisher = async () => (await slipway.data.trustedPublishers.list((await crew()).id))[0];
    const before = await publisher();
    const [header = '', claims = ''] = (await token({ project_path: 'mallory/x' })).split('.');
    const forged = `${header}.${claims}.${encode('x'.repeat(256))}`;
    const [known, unknown] = await Promise.all(
      ['crew', 'nobody'].map(async (resource) => exchangeToken(slipway.port, forged, { resource })),
    );
    expect([known?.status, known?.error, known?.description]).toEqual([
      unknown?.status,
      unknown?.error,
      unknown?.description,
    ]);
    expect(await publisher()).toEqual(before);
    expect(await errorOf(await token(), { resource: 'crew/windows/x' })).toBe('invalid_target');
    for (const resource of ['crew/', '/', 'crew/ios/a/b'])
      expect(await errorOf(await token(), { resource })).not.toBe('exchanged');
    expect(await errorOf(await token(), { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' })).toBe(
      'invalid_request',
    );
  });
});
