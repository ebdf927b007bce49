/** The cost of idle event streams, and the delay until a change reaches them, with few and many watched apps. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createIssueKey } from '../src/accounts/keys/issue-key.ts';
import { readConfig } from '../src/config.ts';
import { createData } from '../src/db/data.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { createOwnerOperations } from '../src/owners/create-owners.ts';
import { buildApk } from '../test/support/build-apk.ts';
import { median, printColumns, round } from './measure.ts';
import { benchKey, cpuSecondsOf, memoryOf, type RunningServer, startSlipway } from './run-server.ts';

/** The limit of a node, with the limit of a person. */
const streamCount = 1000;
const peopleCount = 100;
const openedAtOnce = 20;
const settleMs = 5000;
const idleMs = 30_000;
const pageVisits = 20;
const project = 'streams';
const appPath = (number: number) => `/users/${project}/platforms/android/apps/com.example.app${number}`;

export async function benchEventStreams(folder: string): Promise<void> {
  const head = [
    'watched apps',
    'KiB per stream',
    '% of a core',
    'ms for a page',
    's until an upload is seen',
  ];
  const rows = [head];
  for (const apps of [1, streamCount]) rows.push(await measure(folder, apps));
  printColumns(rows);
}

async function measure(folder: string, apps: number): Promise<string[]> {
  const dataFolder = join(folder, `streams-${apps}`);
  const settings = { SLIPWAY_DATA_DIR: dataFolder, SLIPWAY_PORT: '18747' };
  await (await startSlipway(settings)).stop();
  const keys = await addPeople(settings);
  const uploading = await startSlipway(settings);
  for (let number = 0; number < apps; number++) await upload(uploading, number);
  await uploading.stop();
  // Memory that uploads have left would serve the streams.
  const slipway = await startSlipway(settings);
  await timeOfPage(slipway);
  await pause(settleMs);
  const restBytes = memoryOf(slipway.pid).nowBytes;
  const streams = await openStreams(slipway, apps, keys);
  await pause(settleMs);
  const streamKibibytes = (memoryOf(slipway.pid).nowBytes - restBytes) / 1024 / streamCount;
  const cpuBefore = cpuSecondsOf(slipway.pid);
  await pause(idleMs);
  const cpu = (cpuSecondsOf(slipway.pid) - cpuBefore) / (idleMs / 1000);
  const pageMs = await timeOfPage(slipway);
  const seenSeconds = await timeUntilSeen(slipway, streams.slice(0, streamCount / apps));
  for (const { request } of streams) request.destroy();
  await slipway.stop();
  await rm(dataFolder, { recursive: true });
  return [String(apps), ...[streamKibibytes, cpu * 100, pageMs, seenSeconds].map(round)];
}

/** Returns their keys. */
async function addPeople(settings: Record<string, string>): Promise<string[]> {
  const database = await openDatabase(readConfig(settings).database);
  const data = createData(database);
  const owners = createOwnerOperations({ data, now: Date.now });
  const issueKey = createIssueKey({ data, now: Date.now });
  const by = 'command-line';
  await owners.createProject({
    name: project,
    description: '',
    workspaceName: null,
    ownerName: 'admin',
    by,
  });
  const keys: string[] = [];
  for (let number = 0; number < peopleCount; number++) {
    const name = `person-${number}`;
    await owners.createUser({ name, email: null, passwordHash: null, administrator: false, by });
    await owners.addToTeam({ projectName: project, team: 'tester', userName: name, by, notify: false });
    const request = { ownerName: name, ownerKind: 'user', name: 'bench', expiresAt: null } as const;
    keys.push((await issueKey({ ...request, by })).key);
  }
  await database.close();
  return keys;
}

async function upload({ origin }: RunningServer, number: number): Promise<void> {
  const form = new FormData();
  form.set(
    'file',
    new Blob([new Uint8Array(buildApk({ packageName: `com.example.app${number}` }))]),
    'app.apk',
  );
  const answer = await fetch(`${origin}/api/users/${project}/apps`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${benchKey}` },
    body: form,
  });
  if (!answer.ok) throw new Error(`an upload was answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

interface OpenStream {
  request: ClientRequest;
  response: IncomingMessage;
}

/** Those of the same app are next to each other. */
async function openStreams(slipway: RunningServer, apps: number, keys: readonly string[]) {
  const opened: OpenStream[] = [];
  for (let at = 0; at < streamCount; at += openedAtOnce) {
    const some = Array.from({ length: openedAtOnce }, (_, index) => {
      const number = Math.floor(((at + index) * apps) / streamCount);
      return openStream(`${slipway.origin}${appPath(number)}/live`, keys[(at + index) % keys.length] ?? '');
    });
    opened.push(...(await Promise.all(some)));
  }
  return opened;
}

async function openStream(address: string, key: string): Promise<OpenStream> {
  const request = get(address, { agent: false, headers: { Authorization: `Bearer ${key}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`);
  // The connection is cut at the end.
  request.on('error', () => undefined);
  response.on('error', () => undefined).resume();
  return { request, response };
}

async function timeOfPage({ origin }: RunningServer): Promise<number> {
  const times: number[] = [];
  for (let visit = 0; visit < pageVisits; visit++) {
    const before = performance.now();
    const headers = { Authorization: `Bearer ${benchKey}`, Accept: 'text/html' };
    const answer = await fetch(`${origin}${appPath(0)}`, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`the page was answered ${answer.status}`);
    times.push(performance.now() - before);
  }
  return median(times);
}

/** Until every stream of the app has received the new build, including the upload. */
async function timeUntilSeen(slipway: RunningServer, streams: readonly OpenStream[]): Promise<number> {
  const before = performance.now();
  const seen = streams.map(
    ({ response }) =>
      new Promise<void>((resolve) => {
        response.on('data', (chunk: Buffer) => {
          if (chunk.includes('"revision":2')) resolve();
        });
      }),
  );
  await upload(slipway, 0);
  await Promise.all(seen);
  return (performance.now() - before) / 1000;
}
