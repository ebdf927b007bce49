/** Directories that are slow, dying, broken or not the right one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLdapDirectory } from '../../src/accounts/ldap/ldap-directory.ts';
import { groupLimits } from '../../src/accounts/ldap/ldap-groups.ts';
import { firstMessage, maxMessageBytes } from '../../src/accounts/ldap/ldap-messages.ts';
import { ProviderError } from '../../src/accounts/single-sign-on/oidc-provider.ts';
import { startAccountsService } from '../support/accounts-service.ts';
import {
  type AnswerRequest,
  attribute,
  ber,
  entry,
  type HostileDirectory,
  message,
  requests,
  result,
  startHostileDirectory,
  trustedIdentity,
} from '../support/hostile-directory.ts';
import { testPassword } from '../support/test-service.ts';
import { createTlsIdentity } from '../support/tls-identity.ts';

const silent = { warn: () => undefined };
const ada = entry('uid=ada,dc=example,dc=com', attribute('entryUUID', 'id-of-ada'), attribute('uid', 'ada'));
const done = (id: number, code = 0) => message(id, result(0x65, code));
const bound = (id: number, code = 0) => message(id, result(0x61, code));

/** Binds work; searches find what `found` says. */
const honest =
  (found: (id: number) => Buffer): AnswerRequest =>
  ({ id, operation }, socket) =>
    void socket.write(operation === requests.bind ? bound(id) : found(id));

describe('hostile directories', () => {
  let open: HostileDirectory[] = [];
  beforeEach(() => {
    open = [];
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const one of open) await one.close();
  });

  const start = async (...given: Parameters<typeof startHostileDirectory>) => {
    const hostile = await startHostileDirectory(...given);
    open.push(hostile);
    return hostile;
  };
  const signIn = async (...given: Parameters<typeof startHostileDirectory>) => {
    const { config } = await start(...given);
    return createLdapDirectory(config, silent).authenticate({ login: 'ada' }, 'password');
  };
  const failure = async (...given: Parameters<typeof startHostileDirectory>) => {
    const error = await signIn(...given).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProviderError);
    return error as ProviderError;
  };

  it('are the same as others as long as they answer well', async () => {
    let searches = 0;
    const found = (id: number) => Buffer.concat(searches++ === 0 ? [message(id, ada), done(id)] : [done(id)]);
    expect(await signIn(honest(found))).toMatchObject({
      identity: { subject: 'id-of-ada', names: ['ada'], groups: [] },
    });
  });

  it.each<[string, (id: number) => Buffer]>([
    ['text instead of a message', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['an indefinite length', () => Buffer.from([0x30, 0x80, 0x02, 0x01, 0x03])],
    ['a length of nine bytes', () => Buffer.from([0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1])],
    ['a message of two gigabytes', () => Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff])],
    ['a message larger than the limit', () => Buffer.from([0x30, 0x83, ...[maxMessageBytes >> 16, 0, 9]])],
    ['an empty message', () => Buffer.from([0x30, 0x00])],
    ['an ID of five bytes', (id) => ber(0x30, ber(0x02, Buffer.from([0, 0, 0, 0, id])), result(0x65, 0))],
    ['an unknown operation', (id) => message(id, ber(0x6f, ''))],
    ['a length beyond the message', (id) => message(id, Buffer.from([0x73, 0x03, 0x04, 0x7f, 0x41]))],
    [
      'an attribute beyond its entry',
      (id) => message(id, ber(0x64, ber(0x04, 'x'), Buffer.from([0x30, 0x7f]))),
    ],
    ['a result without a code', (id) => message(id, ber(0x65, ber(0x04, '')))],
    ['bytes after the operation', (id) => message(id, result(0x65, 0), ber(0x04, 'more'))],
  ])('fail at once that send %s', async (_what, found) => {
    const error = await failure(honest(found));
    expect(error.kind).toBe('unreachable');
  });

  it('cannot exhaust the stack with many messages at once', async () => {
    const many = (id: number) => Buffer.concat([...Array(20_000).fill(message(id + 1, ada)), done(id)]);
    expect(await signIn(honest(many))).toEqual({ kind: 'wrong' });
  });

  it('cannot send entries without end', async () => {
    const big = attribute('uid', 'x'.repeat(60_000));
    const error = await failure(({ id, operation }, socket: Socket) => {
      if (operation === requests.bind) return void socket.write(bound(id));
      const more = () => {
        while (!socket.destroyed && socket.write(message(id, entry('uid=ada', big))));
        socket.once('drain', more);
      };
      more();
    });
    expect(error.message).toContain('more than');
  });

  it('cannot bind with another result than success', async () => {
    expect((await failure(({ id }, socket) => void socket.write(bound(id, 49)))).message).toContain(
      'InvalidCredentials',
    );
    let binds = 0;
    const found = (id: number) => Buffer.concat([message(id, ada), done(id)]);
    for (const code of [49, 53, 19]) {
      binds = 0;
      const answer: AnswerRequest = ({ id, operation }, socket) =>
        void socket.write(operation === requests.bind ? bound(id, binds++ === 0 ? 0 : code) : found(id));
      expect(await signIn(answer)).toEqual({ kind: 'wrong' });
    }
    for (const code of [10, 14, 51]) {
      binds = 0;
      const answer: AnswerRequest = ({ id, operation }, socket) =>
        void socket.write(operation === requests.bind ? bound(id, binds++ === 0 ? 0 : code) : found(id));
      expect((await failure(answer)).kind).toBe('unreachable');
    }
  });

  it('cannot make anyone follow a referral', async () => {
    const elsewhere = await start(() => undefined);
    const place = `ldaps://localhost:${elsewhere.config.port}/dc=example,dc=com`;
    const found = (id: number) => Buffer.concat([message(id, ber(0x73, ber(0x04, place))), done(id)]);
    expect(await signIn(honest(found))).toEqual({ kind: 'wrong' });
    const error = await failure(
      honest((id) =>
        message(
          id,
          ber(0x65, ber(0x0a, Buffer.from([10])), ber(0x04, ''), ber(0x04, ''), ber(0xa3, ber(0x04, place))),
        ),
      ),
    );
    expect(error.kind).toBe('unreachable');
    expect(elsewhere.connections.size).toBe(0);
  });

  it('cannot name the entry of everyone, or one without an identifier', async () => {
    for (const one of [
      entry('', attribute('entryUUID', 'x')),
      entry('uid=ada'),
      entry('uid=ada', attribute('entryUUID', 'a', 'b')),
    ])
      expect(await signIn(honest((id) => Buffer.concat([message(id, one), done(id)])))).toEqual({
        kind: 'wrong',
      });
  });

  describe('of Microsoft', () => {
    const guid = Buffer.alloc(16, 7);
    const person = (...more: readonly Buffer[]) =>
      entry('CN=ada,DC=example,DC=com', attribute('objectGUID', guid), attribute('uid', 'ada'), ...more);
    const signInTo = async (answer: AnswerRequest) => {
      const { config } = await start(answer);
      const attributes = { ...config.attributes, id: ['objectGUID'] };
      const logged: object[] = [];
      const log = { warn: (fields: object) => void logged.push(fields) };
      const directory = createLdapDirectory({ ...config, attributes, isActiveDirectory: true }, log);
      return { found: await directory.authenticate({ login: 'ada' }, 'password'), logged };
    };
    const refusing = (text: string, code = 49): AnswerRequest => {
      let binds = 0;
      return ({ id, operation }, socket) => {
        if (operation !== requests.bind) socket.write(Buffer.concat([message(id, person()), done(id)]));
        else socket.write(binds++ === 0 ? bound(id) : message(id, result(0x61, code, text)));
      };
    };
    const told = (code: string) => `80090308: LdapErr: DSID-0C090439, comment: x, data ${code}, v4563`;

    it.each([
      ['530', 'not-at-this-time'],
      ['531', 'not-from-this-computer'],
      ['532', 'password-expired'],
      ['533', 'account-disabled'],
      ['701', 'account-expired'],
      ['773', 'password-must-change'],
    ])('say with %s that the password is right and refused', async (code, why) => {
      const { found, logged } = await signInTo(refusing(told(code)));
      expect(found).toEqual({ kind: 'denied', why });
      expect(logged).toMatchObject([{ reason: expect.stringContaining(code) }]);
    });

    it.each(['525', '52e', '775', '1', 'toString', '__proto__'])(
      'say with %s nothing about the password',
      async (code) => {
        expect((await signInTo(refusing(told(code)))).found).toEqual({ kind: 'wrong' });
      },
    );

    it('can say the reason only with the result for wrong passwords', async () => {
      expect((await signInTo(refusing(told('533'), 53))).found).toEqual({ kind: 'wrong' });
      expect((await signInTo(refusing('data 533'))).found).toEqual({ kind: 'wrong' });
    });

    const groupsAfter = async (...answers: readonly Buffer[][]) => {
      let searches = 0;
      const { found } = await signInTo(
        honest((id) =>
          Buffer.concat([...(answers[searches++] ?? []).map((one) => message(id, one)), done(id)]),
        ),
      );
      return found.kind === 'known' ? found.identity.groups : found;
    };
    const group = (name: string, ...more: readonly Buffer[]) =>
      entry(`CN=${name},DC=example,DC=com`, ...more);
    const memberOf = (...names: readonly string[]) =>
      attribute('memberOf', ...names.map((name) => `CN=${name},DC=example,DC=com`));

    it('say nothing about groups if they cut a list', async () => {
      const cut = attribute('memberOf;range=0-1499', 'CN=a,DC=example,DC=com');
      expect(await groupsAfter([person(attribute('memberOf'), cut)])).toBeNull();
      expect(await groupsAfter([person(memberOf('a'))], [group('a', cut)])).toBeNull();
      const members = attribute('member;range=0-1499', 'CN=ada,DC=example,DC=com');
      expect(await groupsAfter([person(memberOf('a'))], [group('a', members)])).toEqual([
        'cn=a,dc=example,dc=com',
      ]);
    });

    it('say nothing about groups beyond the limits of levels and of groups', async () => {
      const chain = Array.from({ length: groupLimits.depth + 1 }, (_, at) => [
        group(`g${at}`, memberOf(`g${at + 1}`)),
      ]);
      expect(await groupsAfter([person(memberOf('g0'))], ...chain)).toBeNull();
      expect(await groupsAfter([person(memberOf('g0'))], ...chain.slice(0, -1))).toHaveLength(
        groupLimits.depth,
      );
    });

    it('read the primary group of the person, and no other', async () => {
      const sid = Buffer.from('010500000000000515000000010000000200000003000000e8030000', 'hex');
      const primary = Buffer.from(sid);
      primary.writeUInt32LE(513, 24);
      const named = person(attribute('objectSid', sid), attribute('primaryGroupID', '513'));
      const found = [
        group('users', attribute('objectSid', primary)),
        group('other', attribute('objectSid', sid)),
      ];
      expect(await groupsAfter([named], found)).toEqual(['cn=users,dc=example,dc=com']);
      expect(await groupsAfter([named])).toEqual([]);
    });
  });

  it('are given up that die or close in the middle of an answer', async () => {
    for (const end of ['destroy', 'end'] as const) {
      const error = await failure(({ id, operation }, socket) => {
        if (operation === requests.bind) return void socket.write(bound(id));
        socket.write(done(id).subarray(0, 5));
        socket[end]();
      });
      expect(error.kind).toBe('unreachable');
    }
  });

  it('are given up that never answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silentServer = await start(() => undefined);
    const asked = createLdapDirectory(silentServer.config, silent)
      .authenticate({ login: 'ada' }, 'password')
      .catch((error: unknown) => error);
    while (silentServer.connections.size === 0) await new Promise((resolve) => setImmediate(resolve));
    let answer: unknown = null;
    void asked.then((one) => {
      answer = one;
    });
    while (answer === null) {
      await vi.advanceTimersByTimeAsync(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(answer).toBeInstanceOf(ProviderError);
  });

  it('keep nobody waiting who has a password of the server', async () => {
    const silentServer = await start(() => undefined);
    const folder = await mkdtemp(join(tmpdir(), 'slipway-hostile-'));
    await writeFile(join(folder, 'ca.pem'), trustedIdentity.cert);
    const slipway = await startAccountsService('sqlite', [], {
      settings: {
        SLIPWAY_LDAP_URL: `ldaps://localhost:${silentServer.config.port}`,
        SLIPWAY_LDAP_CA: join(folder, 'ca.pem'),
        SLIPWAY_LDAP_BASE_DN: 'dc=example,dc=com',
      },
    });
    onTestFinished(async () => {
      await slipway.close();
      await rm(folder, { recursive: true });
    });
    const enter = (login: string, password: string) =>
      slipway.stranger.post('/sign-in', { login, password, to: '/settings' });
    const waiting = Array.from({ length: 5 }, () => enter('ada', 'password of ada'));
    while (silentServer.connections.size < waiting.length)
      await new Promise((resolve) => setImmediate(resolve));
    expect((await enter('admin', testPassword)).headers.location).toBe('/settings');
    for (const socket of silentServer.connections) socket.destroy();
    for (const answer of await Promise.all(waiting)) {
      expect(answer.status).toBe(503);
      expect(answer.text).toContain('LDAP can’t be reached');
    }
  });

  it('are refused that have another certificate or name', async () => {
    for (const identity of [createTlsIdentity(['localhost']), createTlsIdentity(['other.example.com'])])
      expect((await failure(honest(done), { identity })).message).toMatch(
        /self-signed|certificate|altnames/i,
      );
  });

  describe('with StartTLS', () => {
    const answerTls = (answer: (id: number) => Buffer) =>
      failure(({ id }, socket) => void socket.write(answer(id)), { tls: 'starttls' });

    it('are refused that refuse it', async () => {
      expect((await answerTls((id) => message(id, result(0x78, 2)))).message).toContain('result code 2');
    });

    it('are refused that send more before TLS, which would count as sent through it', async () => {
      const forged = bound(2).subarray(0, -1);
      const error = await answerTls((id) => Buffer.concat([message(id, result(0x78, 0)), forged]));
      expect(error.message).toContain('something else');
      expect((await answerTls((id) => message(id + 1, result(0x78, 0)))).message).toContain('something else');
    });

    it('are given up that speak no TLS afterwards', async () => {
      const error = await failure(
        ({ operation, id }, socket) =>
          void socket.write(
            operation === requests.extended && id === 1 ? message(id, result(0x78, 0)) : bound(2),
          ),
        { tls: 'starttls' },
      );
      expect(error.kind).toBe('unreachable');
    });
  });

  it('accepts messages only as a whole', () => {
    const whole = Buffer.concat([message(7, ada), done(7)]);
    const [first] = [message(7, ada)];
    for (let length = 0; length < first.length; length++)
      expect(firstMessage(whole.subarray(0, length))).toBeNull();
    expect(firstMessage(whole)).toEqual(first);
  });
});
