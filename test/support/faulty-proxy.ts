/** A proxy between a client and a real server that injects network and server faults. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Fault =
  | { kind: 'none' }
  /** Closes connections immediately. */
  | { kind: 'refuse' }
  /** Passes nothing after that many bytes until the fault is cleared; then passes what was held. */
  | { kind: 'hold'; afterBytes: number }
  /** Connections that are open now pass nothing more, and stay open; new ones work. */
  | { kind: 'silence' }
  /** Answers requests instead of the server. */
  | { kind: 'answer'; status: number; times: number }
  /** Answers requests with this text in their header as not implemented. */
  | { kind: 'not-implemented'; text: string }
  /** Breaks the connection after that many bytes of the request, if its header matches. */
  | { kind: 'cut-request'; to?: RegExp; afterBytes: number; times: number }
  /** Breaks the connection after that many bytes of the response to a request with this text in its header. */
  | { kind: 'cut-answer'; to: string; afterBytes: number; times: number }
  /** Flips a byte in every chunk of a request body. */
  | { kind: 'flip'; times: number }
  /** Passes responses one byte at a time. */
  | { kind: 'trickle'; everyMs: number };

export interface FaultyProxy {
  endpoint: string;
  /** Resets the counters and closes all connections except held and silent ones. */
  set(fault: Fault): void;
  /** Number of connections since the fault was set. */
  connections(): number;
  close(): Promise<void>;
}

/** A connection between one client and the server. */
interface Connection {
  client: Socket;
  upstream: Socket;
  /** Head of the current request. */
  head: string;
  /** Bytes of requests, and of the current response. */
  up: number;
  down: number;
  /** Passes nothing more. */
  silent: boolean;
}

/** Only file bodies are sent in chunks of this size. */
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
    const connection: Connection = { client, upstream, head: '', up: 0, down: 0, silent: false };
    open.add(connection);
    for (const socket of [client, upstream]) {
      socket.on('error', () => end(connection));
      socket.on('close', () => {
        open.delete(connection);
        end(connection);
      });
    }
    client.on('data', (chunk) => {
      if (connection.silent) return;
      if (/^[A-Z]+ \S+ HTTP/.test(chunk.toString('latin1', 0, 2000))) {
        connection.head = chunk.toString('latin1', 0, 8000);
        connection.down = 0;
      }
      if (isHeld(connection.up, chunk)) hold(client, () => passUp(connection, chunk));
      else corruptRequest(connection, chunk, fault);
    });
    upstream.on('data', (chunk) => {
      if (connection.silent) return;
      if (isHeld(connection.down, chunk)) hold(upstream, () => passDown(connection, chunk));
      else corruptResponse(connection, chunk, fault);
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
      if (next.kind === 'silence') for (const connection of open) connection.silent = true;
      else if (release) for (const pass of held) pass();
      else for (const connection of open) if (!connection.silent) end(connection);
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

function corruptRequest(connection: Connection, chunk: Buffer, fault: Fault): void {
  if (fault.kind === 'answer' && fault.times > 0) {
    fault.times -= 1;
    answer(connection.client, fault.status, 'InternalError');
  } else if (fault.kind === 'not-implemented' && connection.head.includes(fault.text)) {
    answer(connection.client, 501, 'NotImplemented');
  } else if (
    fault.kind === 'cut-request' &&
    fault.times > 0 &&
    (fault.to?.test(connection.head) ?? true) &&
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

function corruptResponse(connection: Connection, chunk: Buffer, fault: Fault): void {
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
