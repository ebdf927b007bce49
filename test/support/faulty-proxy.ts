/** Stands between a client and a real server, and spoils what passes: what networks and servers do at their worst. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Fault =
  | { kind: 'none' }
  /** Connections end as they come. */
  | { kind: 'refuse' }
  /** Past so many bytes nothing is passed on, until there is no fault any more; what was held passes then. */
  | { kind: 'hold'; afterBytes: number }
  /** Requests are answered in the server's place. */
  | { kind: 'answer'; status: number; times: number }
  /** Requests with this text in their head are answered as not implemented. */
  | { kind: 'not-implemented'; text: string }
  /** The connection breaks once so many bytes of it have gone up. */
  | { kind: 'cut-request'; afterBytes: number; times: number }
  /** The connection breaks so many bytes into the answer to a request whose head has this text. */
  | { kind: 'cut-answer'; to: string; afterBytes: number; times: number }
  /** A byte changes in every piece of a body that goes up. */
  | { kind: 'flip'; times: number }
  /** Answers pass a byte at a time. */
  | { kind: 'trickle'; everyMs: number };

export interface FaultyProxy {
  endpoint: string;
  /** Counts anew. But for what was held, no connection of before lives on. */
  set(fault: Fault): void;
  /** How many connections have come since the fault was set. */
  connections(): number;
  close(): Promise<void>;
}

/** Between one client and the server. */
interface Connection {
  client: Socket;
  upstream: Socket;
  /** Of the request under way. */
  head: string;
  /** Bytes that have gone up, and those of the answer under way. */
  up: number;
  down: number;
}

/** No body but that of a file is sent in pieces of this size. */
const bodyPieceBytes = 4096;

export async function startFaultyProxy(target: URL): Promise<FaultyProxy> {
  let fault: Fault = { kind: 'none' };
  let count = 0;
  const held = new Set<() => void>();
  const open = new Set<Connection>();

  const server = createServer((client) => {
    count += 1;
    if (fault.kind === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    const connection: Connection = { client, upstream, head: '', up: 0, down: 0 };
    open.add(connection);
    for (const socket of [client, upstream]) {
      socket.on('error', () => end(connection));
      socket.on('close', () => {
        open.delete(connection);
        end(connection);
      });
    }
    client.on('data', (chunk) => {
      if (/^[A-Z]+ \S+ HTTP/.test(chunk.toString('latin1', 0, 2000))) {
        connection.head = chunk.toString('latin1', 0, 8000);
        connection.down = 0;
      }
      if (isHeld(connection.up, chunk)) hold(client, () => passUp(connection, chunk));
      else spoilRequest(connection, chunk, fault);
    });
    upstream.on('data', (chunk) => {
      if (isHeld(connection.down, chunk)) hold(upstream, () => passDown(connection, chunk));
      else spoilAnswer(connection, chunk, fault);
    });
  });
  const isHeld = (passed: number, chunk: Buffer) =>
    fault.kind === 'hold' && passed + chunk.length > fault.afterBytes;
  const hold = (from: Socket, pass: () => void): void => {
    from.pause();
    held.add(() => {
      from.resume();
      pass();
    });
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    set(next) {
      const release = fault.kind === 'hold' && next.kind === 'none';
      fault = next;
      count = 0;
      if (release) for (const pass of held) pass();
      else for (const connection of open) end(connection);
      held.clear();
    },
    connections: () => count,
    async close() {
      for (const connection of open) end(connection);
      server.close();
      await once(server, 'close');
    },
  };
}

function spoilRequest(connection: Connection, chunk: Buffer, fault: Fault): void {
  if (fault.kind === 'answer' && fault.times > 0) {
    fault.times -= 1;
    answer(connection.client, fault.status, 'InternalError');
  } else if (fault.kind === 'not-implemented' && connection.head.includes(fault.text)) {
    answer(connection.client, 501, 'NotImplemented');
  } else if (
    fault.kind === 'cut-request' &&
    fault.times > 0 &&
    connection.up + chunk.length > fault.afterBytes
  ) {
    fault.times -= 1;
    end(connection);
  } else {
    if (fault.kind === 'flip' && fault.times > 0 && chunk.length > bodyPieceBytes) {
      fault.times -= 1;
      chunk[chunk.length - 1] = (chunk.at(-1) ?? 0) ^ 1;
    }
    passUp(connection, chunk);
  }
}

function spoilAnswer(connection: Connection, chunk: Buffer, fault: Fault): void {
  if (fault.kind === 'trickle') {
    trickle(connection, chunk, fault.everyMs);
  } else if (
    fault.kind === 'cut-answer' &&
    fault.times > 0 &&
    connection.head.includes(fault.to) &&
    connection.down + chunk.length > fault.afterBytes
  ) {
    fault.times -= 1;
    connection.client.write(chunk.subarray(0, fault.afterBytes - connection.down), () => end(connection));
  } else passDown(connection, chunk);
}

function passUp(connection: Connection, chunk: Buffer): void {
  connection.up += chunk.length;
  pass(connection.client, connection.upstream, chunk);
}

function passDown(connection: Connection, chunk: Buffer): void {
  connection.down += chunk.length;
  pass(connection.upstream, connection.client, chunk);
}

function pass(from: Socket, to: Socket, chunk: Buffer): void {
  if (to.write(chunk)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

function end(connection: Connection): void {
  connection.client.destroy();
  connection.upstream.destroy();
}

function answer(client: Socket, status: number, code: string): void {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>spoilt</Message></Error>`;
  const head = `HTTP/1.1 ${status} Spoilt\r\nContent-Type: application/xml\r\nConnection: close\r\n`;
  client.removeAllListeners('data');
  client.resume();
  client.end(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
}

function trickle({ client, upstream }: Connection, chunk: Buffer, everyMs: number): void {
  upstream.pause();
  let at = 0;
  const timer = setInterval(() => {
    if (client.destroyed || at === chunk.length) {
      clearInterval(timer);
      upstream.resume();
      return;
    }
    client.write(chunk.subarray(at, at + 1));
    at += 1;
  }, everyMs);
}
