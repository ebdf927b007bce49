/** A directory over TLS that answers with bytes of the test's choice, and what it needs to answer. */
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { LdapConfig } from '../../src/accounts/ldap/ldap-config.ts';
import { createTlsIdentity } from './tls-identity.ts';

/** `id`: of the message; `operation`: the tag of the request. */
export type AnswerRequest = (request: { id: number; operation: number }, socket: Socket) => void;

export interface HostileDirectory {
  config: LdapConfig;
  connections: Set<Socket>;
  close(): Promise<void>;
}

export const trustedIdentity = createTlsIdentity(['localhost']);

export async function startHostileDirectory(
  answer: AnswerRequest,
  {
    tls = 'ldaps',
    identity = trustedIdentity,
  }: { tls?: LdapConfig['tls']; identity?: typeof trustedIdentity } = {},
): Promise<HostileDirectory> {
  const connections = new Set<Socket>();
  const serve = (socket: Socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      // Clients of these tests send one short message at a time.
      const header = (chunk[1] ?? 0) < 0x80 ? 2 : 2 + ((chunk[1] ?? 0) & 0x7f);
      const length = chunk[header + 1] ?? 0;
      const id = chunk.readUIntBE(header + 2, length);
      answer({ id, operation: chunk[header + 2 + length] ?? 0 }, socket);
    });
  };
  const server = tls === 'ldaps' ? createTlsServer(identity, serve) : createTcpServer(serve);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    connections,
    config: {
      name: 'Hostile',
      host: 'localhost',
      port: (server.address() as AddressInfo).port,
      tls,
      authorities: trustedIdentity.cert,
      reader: { dn: 'cn=reader', password: 'secret' },
      baseDn: 'dc=example,dc=com',
      userFilter: '(objectClass=person)',
      groupBaseDn: 'dc=example,dc=com',
      groupFilter: '(objectClass=groupOfNames)',
      attributes: { login: ['uid'], id: ['entryUUID'], email: ['mail'], name: ['uid'], group: ['dn'] },
      isActiveDirectory: false,
      confirmsEmail: true,
      syncIntervalMs: null,
      maxDeactivatedPercent: 20,
      signUp: 'open',
      domains: [],
    },
    close: async () => {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A value of BER with a length of two bytes. */
export function ber(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length);
  return Buffer.concat([Buffer.from([tag, 0x82]), length, content]);
}

export const requests = { bind: 0x60, search: 0x63, extended: 0x77 } as const;
export const message = (id: number, ...parts: readonly Buffer[]) =>
  ber(0x30, ber(0x02, Buffer.from([id >> 8, id & 0xff])), ...parts);
/** The control of a page that is not the last one (RFC 2696). */
export const morePages = ber(
  0xa0,
  ber(
    0x30,
    ber(0x04, '1.2.840.113556.1.4.319'),
    ber(0x04, ber(0x30, ber(0x02, Buffer.from([0])), ber(0x04, 'cookie'))),
  ),
);
export const result = (tag: number, code: number, text = '') =>
  ber(tag, ber(0x0a, Buffer.from([code])), ber(0x04, ''), ber(0x04, text));
export const attribute = (name: string, ...values: readonly (Buffer | string)[]) =>
  ber(0x30, ber(0x04, name), ber(0x31, ...values.map((value) => ber(0x04, value))));
export const entry = (dn: string, ...attributes: readonly Buffer[]) =>
  ber(0x64, ber(0x04, dn), ber(0x30, ...attributes));
