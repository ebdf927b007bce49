/** A hundred hostile clients at once: they stall, trickle, disconnect and lie about lengths, next to normal ones. */
import type { RandomSource } from '../fuzz/random.ts';
import { chunkedBody, openRaw, type RawConnection, rawRequest } from '../test/support/http-client.ts';
import { multipart } from '../test/support/multipart-body.ts';
import { hashOf, noteUpload, type Told } from './client.ts';
import { adminKey, createGround } from './ground.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { randomApk } from './people.ts';
import { type Outcome, outcomeOf, type Scenario, type ScenarioRun } from './scenario.ts';
import { checkNow, servingErrors, settleAndCheck } from './settle.ts';

const clientsAtOnce = 100;
const tricklePauseMs = 50;
const trickledBytes = 30;

export const clients: Scenario = {
  name: 'clients',
  about: 'a hundred clients at once that stall, send a byte at a time, break off or lie about length',
  stores: ['sqlite+disk', 'postgres+s3'],
  run: besiege,
};

interface Visit {
  random: RandomSource;
  connection: RawConnection;
  body: Buffer;
  head(headers: Record<string, string | number>): Buffer;
  /** Resolves when the other clients of the batch have ended. */
  others: Promise<void>;
}

/** `'any'`: the response is unpredictable, but must be truthful. */
type Expected = number | 'any';
const kinds: Record<string, { expected: Expected; visit(visit: Visit): Promise<void> }> = {
  normal: { expected: 200, visit: sendWhole },
  'in chunks': { expected: 200, visit: sendChunks },
  'a byte at a time': { expected: 200, visit: trickle },
  'broken off': {
    expected: 'any',
    visit: async (visit) => {
      await visit.connection.write(visit.head({ 'Content-Length': visit.body.length }));
      await visit.connection.write(visit.body.subarray(0, visit.random.below(visit.body.length)));
      visit.connection.destroy();
    },
  },
  'interrupted chunks': {
    expected: 'any',
    visit: async (visit) => {
      await visit.connection.write(visit.head({ 'Transfer-Encoding': 'chunked' }));
      const chunks = chunkedBody(visit.body, 10_000);
      await visit.connection.write(chunks.subarray(0, visit.random.below(chunks.length)));
      visit.connection.destroy();
    },
  },
  'longer than announced': {
    expected: 400,
    visit: async ({ connection, head, body, random }) => {
      await connection.write(head({ 'Content-Length': body.length - 1 - random.below(body.length / 2) }));
      await connection.write(body);
    },
  },
  'shorter than announced': {
    expected: 400,
    visit: async ({ connection, head, body, random }) => {
      await connection.write(head({ 'Content-Length': body.length + 1 + random.below(10_000) }));
      await connection.write(body);
      connection.socket.end();
    },
  },
  'wrong chunks': {
    expected: 400,
    visit: async ({ connection, head, body }) => {
      await connection.write(head({ 'Transfer-Encoding': 'chunked' }));
      await connection.write(Buffer.concat([Buffer.from('zz\r\n'), body]));
    },
  },
  stalling: {
    expected: 'any',
    visit: async ({ connection, head, body, others }) => {
      await connection.write(head({ 'Content-Length': body.length }));
      await connection.write(body.subarray(0, body.length / 2));
      await others;
      connection.destroy();
    },
  },
};

async function sendWhole({ connection, head, body }: Visit): Promise<void> {
  await connection.write(Buffer.concat([head({ 'Content-Length': body.length }), body]));
}

async function sendChunks({ connection, head, body, random }: Visit): Promise<void> {
  await connection.write(head({ 'Transfer-Encoding': 'chunked' }));
  await connection.write(chunkedBody(body, 1 + random.below(50_000)));
}

async function trickle({ connection, head, body }: Visit): Promise<void> {
  await connection.write(head({ 'Content-Length': body.length }));
  for (let at = 0; at < trickledBytes; at++) {
    await connection.write(body.subarray(at, at + 1));
    await new Promise((resolve) => setTimeout(resolve, tricklePauseMs));
  }
  await connection.write(body.subarray(trickledBytes));
}

async function besiege(run: ScenarioRun): Promise<Outcome> {
  const ground = await createGround(run.servers, run.stores);
  const ledger = openLedger();
  const batches = Math.max(2, Math.ceil(run.rounds / 20));
  try {
    const server = await ground.serve();
    const port = Number(new URL(server.origin).port);
    const faults: string[] = [];
    const { promise: never } = Promise.withResolvers<void>();
    const patient = visitServer(port, ledger, run.random, 'stalling', never);
    for (let batch = 0; batch < batches; batch++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const names = Array.from({ length: clientsAtOnce }, () => run.random.pick(Object.keys(kinds)));
      const visits = names.map((name) => ({
        name,
        end: visitServer(port, ledger, run.random, name, promise),
      }));
      await Promise.all(visits.filter(({ name }) => name !== 'stalling').map(({ end }) => end));
      faults.push(...(await servingErrors(server.origin, ledger)));
      resolve();
      await Promise.all(visits.map(({ end }) => end));
    }
    const told = await patient;
    if (told?.status !== 408)
      faults.push(`a client that stalled for a minute got ${told?.status} instead of 408`);
    const end = await server.stop();
    if (end.code !== 0) faults.push(`the server ended with ${end.code ?? end.signal}`);
    const compared = new Set<string>();
    const checks = [await checkNow(ground, ledger, compared), await settleAndCheck(ground, ledger, compared)];
    const outcome = outcomeOf(ledger, checks, { clients: batches * clientsAtOnce });
    return { ...outcome, faults: [...faults, ...outcome.faults] };
  } finally {
    await ground.remove();
  }
}

async function visitServer(
  port: number,
  ledger: Ledger,
  random: RandomSource,
  name: string,
  others: Promise<void>,
): Promise<Told> {
  const packageName = `com.example.app${random.below(3)}`;
  const apk = randomApk(random, packageName);
  const sha256 = hashOf(apk);
  ledger.sent.set(sha256, packageName);
  const { contentType, body } = multipart([{ name: 'file', content: apk, fileName: 'app.apk' }]);
  const kind = kinds[name];
  if (!kind) throw new Error(`there is no client ${name}`);
  const connection = await openRaw(port);
  const head = (headers: Record<string, string | number>) =>
    rawRequest('POST', '/api/users/admin/apps', {
      Authorization: `Bearer ${adminKey}`,
      'Content-Type': contentType,
      ...headers,
    });
  const answered = connection.answer().then(
    ({ status, text }) => ({ status, text, location: '' }),
    () => null,
  );
  await Promise.race([kind.visit({ random, connection, body, head, others }), answered]);
  const told = await answered;
  connection.destroy();
  const mayBeRefused = (status: number) =>
    kind.expected === 'any' ? status === 400 || status === 408 : status === kind.expected;
  noteUpload(ledger, { packageName, sha256, mayBeRefused }, told);
  if (kind.expected === 200 && told === null) ledger.wrongAnswers.push(`the client ${name} got no response`);
  if (kind.expected !== 200 && told?.status === 200)
    ledger.wrongAnswers.push(`who sent ${name} was told 200`);
  return told;
}
