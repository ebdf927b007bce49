/** Connections to a directory. The library is loaded on first use. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type * as Ldapts from 'ldapts';
import { AppError, reasonOf } from '../../core/errors.ts';
import { ProviderError } from '../single-sign-on/oidc-provider.ts';
import type { LdapConfig } from './ldap-config.ts';
import { createMessageFilter, firstMessage, type MessageFilter } from './ldap-messages.ts';

export type Library = typeof Ldapts;
export const loadLibrary = (): Promise<Library> => import('ldapts');

export const ldapTimes = { connectMs: 5_000, operationMs: 10_000, signInMs: 20_000 } as const;

export interface LdapConnection {
  client: Ldapts.Client;
  /** Runs one operation within its limits. */
  operation<T>(work: (client: Ldapts.Client) => Promise<T>): Promise<T>;
}

type Place = Pick<LdapConfig, 'host' | 'port' | 'tls' | 'authorities'>;

/** Connects, and closes the connection afterwards. Throws `ProviderError` for everything that the directory or the network does. */
export async function withConnection<T>(
  place: Place,
  totalMs: number,
  work: (connection: LdapConnection, library: Library) => Promise<T>,
): Promise<T> {
  const library = await loadLibrary();
  let socket: Socket | null = null;
  let filter: MessageFilter | null = null;
  const timer = setTimeout(() => socket?.destroy(new Error('the directory is too slow')), totalMs);
  try {
    socket = await connect(library, place);
    filter = createMessageFilter();
    const stream = connected(socket, filter);
    let isTaken = false;
    const client = new library.Client({
      url: 'ldap://directory',
      timeout: ldapTimes.operationMs,
      createConnection: (() => {
        // The library would connect again after a failure, without TLS.
        if (isTaken) throw new Error('the connection to the directory has ended');
        isTaken = true;
        return stream;
      }) as unknown as typeof connectTcp,
    });
    const operation = <R>(step: (client: Ldapts.Client) => Promise<R>) => {
      filter?.begin();
      return step(client);
    };
    return await work({ client, operation }, library);
  } catch (error) {
    throw toProviderError(error);
  } finally {
    clearTimeout(timer);
    socket?.destroy();
    filter?.destroy();
  }
}

/** Keeps what callers threw themselves. */
function toProviderError(error: unknown): unknown {
  if (error instanceof ProviderError || error instanceof AppError) return error;
  const name = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '';
  const reason = `${name}${reasonOf(error)}`.replace(/\s+/g, ' ').slice(0, 300);
  return new ProviderError('unreachable', reason, { cause: error });
}

/** Acts as the library's socket, and passes on messages only after they were checked. */
function connected(socket: Socket, filter: MessageFilter): Duplex {
  socket.pipe(filter);
  const stream = Duplex.from({ readable: filter, writable: socket });
  socket.on('error', (error) => stream.destroy(error));
  socket.on('close', () => stream.destroy());
  stream.on('close', () => socket.destroy());
  // The library listens until its client ends, and the connection may fail after that.
  stream.on('error', () => undefined);
  return Object.assign(stream, { connecting: false, readyState: 'open' });
}

async function connect(library: Library, place: Place): Promise<Socket> {
  const { host, port, tls } = place;
  const secure = {
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(place.authorities === null ? {} : { ca: place.authorities }),
  };
  if (tls === 'ldaps') return ready(connectTls({ host, port, ...secure }), 'secureConnect');
  const plain = await ready(connectTcp({ host, port }), 'connect');
  try {
    await ready(plain, 'upgraded', () => beginTls(library, plain));
    return await ready(connectTls({ socket: plain, host, ...secure }), 'secureConnect');
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

/** Resolves with the event, or with `begin`. Destroys the socket when the time for connecting is over. */
function ready<S extends Socket | TLSSocket>(
  socket: S,
  event: string,
  begin: (() => Promise<void>) | null = null,
): Promise<S> {
  // Errors of a connection that nobody waits for anymore.
  socket.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(new Error('the connection takes too long')),
      ldapTimes.connectMs,
    );
    const end = () => {
      clearTimeout(timer);
      socket.off('error', fail).off('close', closed).off(event, done);
    };
    const done = () => {
      end();
      resolve(socket);
    };
    const fail = (error: unknown) => {
      end();
      socket.destroy();
      reject(error);
    };
    const closed = () => fail(new Error('the directory closed the connection'));
    socket.on('error', fail).on('close', closed).on(event, done);
    begin?.().then(done, fail);
  });
}

/** ExtendedRequest with message ID 1 (RFC 4511, section 4.14). */
const startTls = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);

/**
 * Starts TLS without the library, which would keep bytes that arrived before TLS and read them as if they had arrived through it. An
 * attacker could forge an answer that way.
 */
async function beginTls(library: Library, socket: Socket): Promise<void> {
  socket.write(startTls);
  let received = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, chunk as Buffer]);
    const message = firstMessage(received);
    if (!message) continue;
    const reader = new library.BerReader(message);
    reader.readSequence();
    const id = reader.readInt();
    const operation = reader.readSequence();
    if (received.length > message.length || id !== 1 || operation !== 0x78)
      throw new Error('the directory sends something else than the answer to StartTLS');
    const code = reader.readEnumeration();
    if (code !== 0) throw new Error(`the directory refuses StartTLS with the result code ${code}`);
    return;
  }
  throw new Error('the directory closed the connection');
}
