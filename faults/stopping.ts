/**
 * SIGTERM: requests in progress finish within the grace period, longer ones are cut and leave nothing, and proxies
 * are notified.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildApk } from '../test/support/build-apk.ts';
import { openRaw, type RawConnection, rawRequest } from '../test/support/http-client.ts';
import { multipart } from '../test/support/multipart-body.ts';
import type { ServerProcess } from '../test/support/run-cli.ts';
import { ask, hashOf, noteUpload } from './client.ts';
import { adminKey, createGround, type Ground } from './ground.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { type Outcome, outcomeOf, type Scenario, type ScenarioRun, until } from './scenario.ts';
import { checkNow, settleAndCheck } from './settle.ts';

/** The server’s `shutdownGraceMs`, and extra time for a loaded machine. */
const limitMs = 60_000;
const slackMs = 30_000;

export const stopping: Scenario = {
  name: 'stop',
  about: 'SIGTERM during uploads: one that finishes within the grace period, and one that does not',
  stores: ['sqlite+disk', 'postgres+s3'],
  run: stopOnce,
};

async function stopOnce(run: ScenarioRun): Promise<Outcome> {
  const ground = await createGround(run.servers, run.stores);
  const ledger = openLedger();
  try {
    const server = await ground.serve();
    const soon = await beginUpload(server, ledger, 'com.example.soon');
    const never = await beginUpload(server, ledger, 'com.example.never');
    const kept = await openRaw(Number(new URL(server.origin).port));
    await kept.write(rawRequest('GET', '/readyz', {}));
    const faults: string[] = [];
    if ((await kept.answer()).status !== 200) faults.push('readyz was not 200 before the signal');
    const stoppedAt = performance.now();
    const ended = server.stop();
    await until(
      'no more connections are accepted',
      async () => (await ask(`${server.origin}/healthz`)) === null,
    );
    await soon.finish();
    const broken = never.broken();
    const end = await ended;
    const tookMs = Math.round(performance.now() - stoppedAt);
    if (tookMs < limitMs || tookMs > limitMs + slackMs) faults.push(`it ended after ${tookMs} ms`);
    await broken;
    if (ledger.counts.acknowledged !== 1) faults.push('the upload that ended in time was not acknowledged');
    const left = await leftInSpool(ground);
    if (left.length > 0) faults.push(`the upload that was cut left ${left.join()}`);
    if (end.signal !== null) faults.push(`it ended on ${end.signal}`);
    const compared = new Set<string>();
    const atOnce = await checkNow(ground, ledger, compared);
    const settled = await settleAndCheck(ground, ledger, compared);
    const counts = { 'ended in time': 1, cut: 1, 'exit code': end.code ?? -1, ms: tookMs };
    const outcome = outcomeOf(ledger, [atOnce, settled], counts);
    return { ...outcome, faults: [...faults, ...outcome.faults] };
  } finally {
    await ground.remove();
  }
}

async function leftInSpool(ground: Ground): Promise<string[]> {
  return readdir(join(ground.config().dataFolder, 'spool')).catch(() => []);
}

interface BegunUpload {
  finish(): Promise<void>;
  broken(): Promise<void>;
}

async function beginUpload(server: ServerProcess, ledger: Ledger, packageName: string): Promise<BegunUpload> {
  const bytes = buildApk({ packageName, fillerBytes: 600_000 });
  const sha256 = hashOf(bytes);
  ledger.sent.set(sha256, packageName);
  const { contentType, body } = multipart([{ name: 'file', content: bytes, fileName: 'app.apk' }]);
  const connection: RawConnection = await openRaw(Number(new URL(server.origin).port));
  const half = body.length / 2;
  await connection.write(
    rawRequest('POST', '/api/users/admin/apps', {
      Authorization: `Bearer ${adminKey}`,
      'Content-Type': contentType,
      'Content-Length': body.length,
      Expect: '100-continue',
    }),
  );
  await until('the body may come', () => connection.unread().includes('100 Continue'));
  await connection.write(body.subarray(0, half));
  return {
    finish: async () => {
      await connection.write(body.subarray(half));
      const { status, text } = await connection.answer();
      noteUpload(ledger, { packageName, sha256 }, { status, text, location: '' });
    },
    broken: async () => {
      // Slow, but above the minimum transfer rate.
      const trickle = setInterval(() => void connection.write('.'), 5_000);
      await connection.closed;
      clearInterval(trickle);
      noteUpload(ledger, { packageName, sha256 }, null);
    },
  };
}
