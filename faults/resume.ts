/** kill -9 again and again within one resumable upload of 1 GiB: of every kill, only the unacknowledged tail is sent twice. */
import { createHash, randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseBlobKey } from '../src/blobs/blob-key.ts';
import { openBlobStore } from '../src/blobs/open-blob-store.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { buildApk } from '../test/support/build-apk.ts';
import { adminKey, createGround, type Ground } from './ground.ts';
import type { Outcome, Scenario, ScenarioRun } from './scenario.ts';

const mebibyte = 1024 * 1024;
const fileBytes = 1024 * mebibyte;
const mostKills = 50;
/** Kills after the last byte was sent, while the build is made or its answer is lost. */
const killsAtEnd = 5;
/** From the last byte to the kill, in which the server stores what it has, or makes the build. */
const longestPauseMs = 400;
const longestRunBytes = 36 * mebibyte;
/** What a server may have received without acknowledging it, with what its socket holds. */
const mostTailBytes = 64 * mebibyte;

export const resume: Scenario = {
  name: 'resume',
  about: 'kill -9 fifty times within a resumable upload of 1 GiB',
  stores: ['sqlite+disk', 'postgres+disk', 'postgres+s3'],
  run: async (run) => {
    const ground = await createGround(run.servers, run.stores);
    try {
      return await resumeOften(run, ground);
    } finally {
      await ground.remove();
    }
  },
};

async function resumeOften({ random, rounds, say }: ScenarioRun, ground: Ground): Promise<Outcome> {
  const kills = Math.min(rounds, mostKills);
  const faults: string[] = [];
  const content = randomFillSync(Buffer.allocUnsafe(fileBytes));
  const file = buildApk({
    packageName: 'com.example.resume',
    extraEntries: [{ name: 'assets/random', content }],
  });
  const sha256 = createHash('sha256').update(file).digest('hex');
  let [target, acknowledged, sentTo, sentBytes, tailBytes, longestTail] = ['', 0, 0, 0, 0, 0];
  for (let kill = 0; kill <= kills; kill++) {
    const server = await ground.serve();
    if (target === '') target = await begin(server.origin, file.length);
    const head = await answerOf(open(server.origin, target, 'HEAD').end());
    const offset = Number(head.headers['upload-offset']);
    if (head.statusCode !== 200 || !(offset >= acknowledged))
      faults.push(`HEAD got ${head.statusCode} and the offset ${offset} after ${acknowledged}`);
    const tail = Math.max(0, sentTo - offset);
    if (tail > mostTailBytes) faults.push(`${tail} bytes were not acknowledged`);
    tailBytes += tail;
    longestTail = Math.max(longestTail, tail);
    acknowledged = offset;
    const isEnd = kill >= kills - killsAtEnd;
    const reached = Math.min(file.length - mebibyte, offset + random.below(longestRunBytes));
    sentTo = Math.max(offset, isEnd ? file.length : reached);
    sentBytes += sentTo - offset;
    const patch = open(server.origin, target, 'PATCH', {
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': String(file.length - offset),
      'Upload-Offset': String(offset),
    });
    const answer = answerOf(patch).catch(() => null);
    await write(patch, file.subarray(offset, sentTo));
    if (isEnd) patch.end();
    if (kill === kills) {
      const last = await answer;
      const body = last ? await text(last) : '';
      if (last?.statusCode !== 200 || JSON.parse(body).build?.sha256 !== sha256)
        faults.push(`the last request got ${last?.statusCode}: ${body.slice(0, 300)}`);
      await server.stop();
    } else {
      await pause(random.below(longestPauseMs));
      const ended = once(server.process, 'exit');
      server.process.kill('SIGKILL');
      await ended;
      await answer;
    }
    if (kill % 10 === 9) say(`${kill + 1} kills, ${Math.round(offset / mebibyte)} MiB acknowledged`);
  }
  if (sentBytes !== file.length + tailBytes)
    faults.push(
      `${sentBytes} bytes were sent for ${file.length}, of which ${tailBytes} were not acknowledged`,
    );
  faults.push(...(await storedFaults(ground, sha256)));
  const counts = {
    kills,
    MiB: Math.round(file.length / mebibyte),
    'MiB sent twice': Math.round(tailBytes / mebibyte),
    'MiB at most for a kill': Math.round(longestTail / mebibyte),
  };
  return { counts, faults, skipped: null };
}

/** There is one build, with the bytes that were sent, and nothing else. */
async function storedFaults(ground: Ground, sha256: string): Promise<string[]> {
  const { database: config, blobs } = ground.config();
  const database = await openDatabase(config);
  const builds = await database.queries.selectFrom('builds').select('package_blob').execute();
  await database.close();
  const store = await openBlobStore(blobs);
  const keys: string[] = [];
  for await (const { key } of store.list('')) if (!key.startsWith('icons/')) keys.push(key);
  const faults: string[] = [];
  if (builds.length !== 1 || keys.length !== 1)
    faults.push(`there are ${builds.length} builds and the blobs ${keys.join(', ')}`);
  const hash = createHash('sha256');
  const blob = await store.open(parseBlobKey(builds[0]?.package_blob ?? ''));
  for await (const chunk of blob?.stream ?? []) hash.update(chunk);
  if (hash.digest('hex') !== sha256) faults.push('the stored bytes are not those that were sent');
  return faults;
}

const open = (origin: string, path: string, method: string, headers = {}): ClientRequest =>
  request(`${origin}${path}`, {
    method,
    agent: false,
    headers: { Authorization: `Bearer ${adminKey}`, 'Tus-Resumable': '1.0.0', ...headers },
  });

async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  if (response.statusCode !== 200) response.resume();
  return response;
}

async function begin(origin: string, length: number): Promise<string> {
  const base64 = (value: string) => Buffer.from(value).toString('base64');
  const metadata = `filename ${base64('app.apk')},owner ${base64('admin')}`;
  const headers = { 'Upload-Length': String(length), 'Upload-Metadata': metadata };
  return String((await answerOf(open(origin, '/api/v1/uploads', 'POST', headers).end())).headers.location);
}

/** Resolves when the kernel has the bytes. */
async function write(sent: ClientRequest, bytes: Buffer): Promise<void> {
  const pieceBytes = mebibyte;
  for (let at = 0; at < bytes.length; at += pieceBytes)
    await new Promise<void>((resolve, reject) => {
      sent.write(bytes.subarray(at, at + pieceBytes), (error) => (error ? reject(error) : resolve()));
    });
}
