/**
 * A minimal multipart receiver, the baseline for uploads: `node:http` and @fastify/busboy with their defaults, the
 * file part to a file, fsync, 200. No hash, no limit, no check; a stored file is removed after its response.
 *
 * `node bench/sink.ts FOLDER [PORT]` prints `listening on PORT`; it accepts any POST.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';

export interface Sink {
  port: number;
  close(): Promise<void>;
}

/** Starts the sink on the loopback address; port 0 selects a free one. Files are written to `folder`. */
export async function startSink(options: { folder: string; port?: number }): Promise<Sink> {
  await mkdir(options.folder, { recursive: true });
  const server = createServer({ requestTimeout: 0 }, async (request, response) => {
    const path = join(options.folder, randomUUID());
    response.once('close', () => void rm(path, { force: true }));
    try {
      await storeFilePart(request, path);
      response.end('{"error":false}\n');
    } catch (error) {
      response.writeHead(500, { connection: 'close' }).end(`${String(error)}\n`);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function storeFilePart(request: IncomingMessage, path: string): Promise<void> {
  const contentType = request.headers['content-type'] ?? '';
  const form = new Busboy({ headers: { ...request.headers, 'content-type': contentType } });
  const writes: Promise<void>[] = [];
  form.on('file', (_name: string, file: Readable) => {
    writes.push(pipeline(file, createWriteStream(path, { flush: true })));
  });
  await pipeline(request, form);
  await Promise.all(writes);
}

if (import.meta.main) {
  const [folder, port] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: sink.ts FOLDER [PORT]');
  const sink = await startSink({ folder, port: Number(port ?? 0) });
  console.log(`listening on ${sink.port}`);
}
