/**
 * One of two nodes is frozen in the middle of a transaction, or its connections to PostgreSQL are lost silently. The other must stay ready
 * and serve other owners meanwhile, and the first must recover.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { buildApk } from '../test/support/build-apk.ts';
import { type FaultyProxy, startFaultyProxy } from '../test/support/faulty-proxy.ts';
import type { ServerProcess } from '../test/support/run-cli.ts';
import { ask, deleteBuild, signIn, upload } from './client.ts';
import { adminKey, createGround, type Ground } from './ground.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { randomApk, randomBundle } from './people.ts';
import {
  isUnavailable,
  nodeSettings,
  type Outcome,
  outcomeOf,
  type Scenario,
  type ScenarioRun,
  until,
} from './scenario.ts';
import { becomesReady, checkNow, settleAndCheck } from './settle.ts';

export const frozen: Scenario = {
  name: 'frozen',
  about: 'a node frozen in a transaction, or cut off from PostgreSQL silently, next to one that must go on',
  stores: ['postgres+disk', 'postgres+s3'],
  run: freezeAndCut,
};

/** By the name of its connections in PostgreSQL. */
export const frozenName = 'slipway_frozen';
const otherProject = 'others';
const workersAtOnce = 4;
const secret = 'a secret that both nodes of the faults have';

/** Does something over and over on the node of that origin, until it is stopped. */
type Work = (origin: string) => Promise<unknown>;

interface Nodes {
  first: ServerProcess;
  second: ServerProcess;
  proxy: FaultyProxy;
  direct: pg.Client;
  ledger: Ledger;
}

async function freezeAndCut(run: ScenarioRun): Promise<Outcome> {
  const ground = await createGround(run.servers, run.stores, { SLIPWAY_SECRET: secret });
  const ledger = openLedger();
  const faults: string[] = [];
  const counts = { frozen: 0, cut: 0, 'served meanwhile': 0, deleted: 0 };
  const nodes = await startNodes(ground, ledger);
  try {
    await addProject(nodes.second.origin, otherProject);
    // Before the sign-ins that follow use up what one network may do.
    await signIn(nodes.second.origin, ledger);
    for (const [name, work] of Object.entries(worksOf(run, ledger, nodes.second.origin, counts))) {
      for (const fault of [freeze, cut]) {
        run.say(`${fault.name} during ${name}`);
        const { served, found } = await during(nodes, work, fault);
        counts[fault === freeze ? 'frozen' : 'cut'] += 1;
        counts['served meanwhile'] += served;
        faults.push(...found.map((text) => `${fault.name} during ${name}: ${text}`));
      }
    }
    if (counts.deleted === 0) faults.push('no deletion was acknowledged');
    for (const server of [nodes.first, nodes.second]) {
      const end = await server.stop();
      if (end.code !== 0)
        faults.push(`a node ended with ${end.code ?? end.signal}: ${end.stderr.slice(-500)}`);
    }
    // The checks wait until nobody is connected.
    await nodes.direct.end();
    const compared = new Set<string>();
    const checks = [await checkNow(ground, ledger, compared), await settleAndCheck(ground, ledger, compared)];
    const outcome = outcomeOf(ledger, checks, counts);
    return { ...outcome, faults: [...faults, ...outcome.faults] };
  } finally {
    await nodes.direct.end();
    await ground.remove();
    await nodes.proxy.close();
  }
}

/** Two nodes on one database and one folder of files; the first one reaches PostgreSQL through a proxy. */
async function startNodes(ground: Ground, ledger: Ledger): Promise<Nodes> {
  const url = new URL(ground.environment.SLIPWAY_DATABASE_URL ?? '');
  const direct = new pg.Client({ connectionString: url.href });
  await direct.connect();
  const proxy = await startFaultyProxy(new URL(`http://${url.host}`));
  const through = new URL(url);
  through.host = new URL(proxy.endpoint).host;
  through.searchParams.set('application_name', frozenName);
  const first = await ground.serve({ environment: { SLIPWAY_DATABASE_URL: through.href } });
  const second = await ground.serve({ environment: nodeSettings(ground, 'second') });
  return { first, second, proxy, direct, ledger };
}

export async function addProject(origin: string, name: string): Promise<void> {
  const told = await ask(`${origin}/api/v1/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (told?.status !== 201) throw new Error(`the project was answered ${told?.status}: ${told?.text}`);
}

/** What the first node does when it is frozen or cut off. Everything works on the administrator. */
function worksOf(
  { random }: ScenarioRun,
  ledger: Ledger,
  healthy: string,
  counts: { deleted: number },
): Record<string, Work> {
  const add = (origin: string, packageName: string) =>
    upload(origin, ledger, {
      packageName,
      bytes: randomApk(random, packageName),
      mayBeRefused: isUnavailable,
    });
  return {
    upload: (origin) => add(origin, 'com.example.frozen'),
    conversion: (origin) => {
      const bytes = randomBundle(random);
      return upload(origin, ledger, {
        packageName: 'com.example.bundle',
        bytes,
        mayBeRefused: isUnavailable,
      });
    },
    deletion: async (origin) => {
      const packageName = 'com.example.deleted';
      const added = await add(healthy, packageName);
      if (added && (await deleteBuild(origin, ledger, added.id, isUnavailable))) counts.deleted += 1;
    },
    // Last: an account keeps a limited number of sessions, and the deletion needs the first one.
    'sign-in': async (origin) => {
      const own = openLedger();
      await signIn(origin, own, { mayBeRefused: isUnavailable });
      ledger.wrongAnswers.push(...own.wrongAnswers);
    },
  };
}

interface Fault {
  name: string;
  begin(nodes: Nodes): Promise<void>;
  end(nodes: Nodes): Promise<void>;
}

/** Stops a process in the middle of a transaction, which its connections named `frozenName` have begun. */
export function freezeInTransaction({ process }: ServerProcess, direct: pg.Client): Promise<void> {
  return until('the node was frozen in a transaction', async () => {
    process.kill('SIGSTOP');
    // What it has sent is finished.
    await pause(50);
    const { rowCount } = await direct.query(
      `select from pg_stat_activity where application_name = '${frozenName}' and state = 'idle in transaction'`,
    );
    if (rowCount) return true;
    process.kill('SIGCONT');
    await pause(Math.random() * 20);
    return false;
  });
}

const freeze: Fault = {
  name: 'frozen',
  begin: ({ first, direct }) => freezeInTransaction(first, direct),
  end: async ({ first }) => {
    first.process.kill('SIGCONT');
  },
};

const cut: Fault = {
  name: 'cut',
  begin: async ({ proxy }) => proxy.set({ kind: 'silence' }),
  end: async ({ proxy }) => proxy.set({ kind: 'none' }),
};

async function during(nodes: Nodes, work: Work, fault: Fault): Promise<{ served: number; found: string[] }> {
  const { first, second, ledger } = nodes;
  const found: string[] = [];
  const state = { stopped: false, over: false };
  const repeat = async (origin: string) => {
    while (!state.stopped) {
      await work(origin);
      await pause(5);
    }
  };
  const workers = [first, first, second].flatMap(({ origin }) =>
    Array.from({ length: workersAtOnce }, () => repeat(origin)),
  );
  let served = 0;
  try {
    await fault.begin(nodes);
    const watched = (async () => {
      while (!state.over) {
        const ready = await ask(`${second.origin}/readyz`);
        if (ready?.status !== 200) found.push(`the other node’s readyz got ${ready?.status}`);
        await pause(100);
      }
    })();
    // Longer than PostgreSQL keeps the transaction.
    const until = performance.now() + 8_000;
    while (performance.now() < until) {
      const answer = await upload(second.origin, ledger, {
        packageName: 'com.example.other',
        owner: otherProject,
        bytes: buildApk({ packageName: 'com.example.other', versionCode: 1 + served }),
      });
      if (answer) served += 1;
      else found.push('an upload to another owner failed on the other node');
    }
    state.over = true;
    await watched;
    await fault.end(nodes);
    if (!(await becomesReady(first.origin, 200))) found.push('the node did not become ready again');
  } finally {
    state.stopped = true;
    state.over = true;
    first.process.kill('SIGCONT');
    await Promise.all(workers);
  }
  return { served, found };
}
