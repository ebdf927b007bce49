/** kill -9 at random moments: during uploads, deletions, restores, page changes and starts. */
import { once } from 'node:events';
import { openDatabase } from '../src/db/open-database.ts';
import type { ServerProcess } from '../test/support/run-cli.ts';
import type { CheckResult } from './check-invariants.ts';
import { signIn } from './client.ts';
import { createGround, type Ground } from './ground.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { type AdministeredJob, keepPageUntilCut, removeUntilCut, uploadUntilCut } from './people.ts';
import { type Outcome, outcomeOf, type Scenario, type ScenarioRun, until } from './scenario.ts';
import { checkNow, settleAndCheck } from './settle.ts';

const uploadersAtOnce = 3;
/** Each process is killed at a random moment after some responses, so that slow machines test the same. */
const longestRestMs = 400;
const longestStartMs = 1200;
/** One of this many kills happens while the server starts. */
const everyStart = 7;
const everyEndOfUndo = 3;

export const kills: Scenario = {
  name: 'kill',
  about: 'kill -9 at random moments of uploads, deletions, page changes and starts',
  stores: ['sqlite+disk', 'postgres+disk', 'postgres+s3'],
  run: killOften,
};

export async function killOften(run: ScenarioRun): Promise<Outcome> {
  const ground = await createGround(run.servers, run.stores);
  const ledger = openLedger();
  const compared = new Set<string>();
  const checks: CheckResult[] = [];
  let killsAtStart = 0;
  try {
    for (let round = 0; round < run.rounds; round++) {
      const duringStart = round % everyStart === everyStart - 1;
      if (duringStart) {
        await killStarting(ground, run);
        killsAtStart += 1;
      } else await liveAndDie(ground, ledger, run);
      checks.push(await checkNow(ground, ledger, compared));
      // Finally compares every byte.
      const last = round === run.rounds - 1;
      checks.push(await settleAndCheck(ground, ledger, last ? new Set() : compared));
      if (checks.some(({ faults }) => faults.length > 0)) break;
      if (round % everyEndOfUndo === 0) await endUndo(ground, ledger);
      if ((round + 1) % 10 === 0) run.say(`${round + 1} kills, ${ledger.counts.acknowledged} acknowledged`);
    }
    const rounds = Math.floor(checks.length / 2);
    return outcomeOf(ledger, checks, { kills: rounds, 'of them starting': killsAtStart });
  } finally {
    await ground.remove();
  }
}

async function killStarting(ground: Ground, { random }: ScenarioRun): Promise<void> {
  let server: ServerProcess | null = null;
  const begun = Promise.withResolvers<void>();
  const starting = ground
    .serve({
      begun: (process) => {
        const timer = setTimeout(() => process.kill('SIGKILL'), random.below(longestStartMs));
        process.once('exit', () => {
          clearTimeout(timer);
          begun.resolve();
        });
      },
    })
    .then(
      (listening) => {
        server = listening;
      },
      () => undefined,
    );
  await begun.promise;
  await starting;
  await (server as ServerProcess | null)?.ended;
}

async function liveAndDie(ground: Ground, ledger: Ledger, { random, stores }: ScenarioRun): Promise<void> {
  const server = await ground.serve();
  const cookie = ledger.cookies[0] ?? (await signIn(server.origin, ledger)) ?? '';
  let answers = 0;
  const answered = () => {
    answers += 1;
  };
  const work: AdministeredJob = { origin: server.origin, ledger, random, cookie, answered };
  const people = [
    ...Array.from({ length: uploadersAtOnce }, (_, index) =>
      uploadUntilCut(work, index, stores === 'postgres+s3'),
    ),
    removeUntilCut(work),
    keepPageUntilCut(work),
  ];
  const ended = once(server.process, 'exit');
  const enough = 1 + random.below(8);
  try {
    await until('the server answered', () => answers >= enough || ledger.wrongAnswers.length > 0);
    await new Promise((resolve) => setTimeout(resolve, random.below(longestRestMs)));
  } finally {
    server.process.kill('SIGKILL');
  }
  await ended;
  await Promise.all(people);
}

/** Ends the day in which deletions can be undone, for all deleted items. */
async function endUndo(ground: Ground, ledger: Ledger): Promise<void> {
  for (const build of ledger.builds.values()) {
    if (!build.allowed.includes('hidden')) continue;
    build.expired = true;
    build.allowed = ['hidden', 'gone'];
  }
  const database = await openDatabase(ground.config().database);
  await database.queries
    .updateTable('outbox')
    .set({ run_at: 0 })
    .where('kind', '=', 'remove-build')
    .execute();
  await database.close();
}
