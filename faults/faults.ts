/**
 * Starts real servers, lets everything go wrong that machines, networks and clients can do to them, and counts what was lost.
 *
 *   node faults/faults.ts [--seed 1] [--rounds 80] [--only NAME] [--stores sqlite+disk]
 *
 * Prints a table, and exits with 1 when one thing that a client was told is not true, or a row, a blob or a revision is where
 * it must not be. `--rounds` is how often each store is killed; a seed makes the same choices again, as far as a machine allows it.
 */
import { parseArgs } from 'node:util';
import { createRandom } from '../fuzz/random.ts';
import { launchPostgres, launchRadosgw } from '../test/support/launch-servers.ts';
import { audit } from './audit.ts';
import { clients } from './clients.ts';
import { clock } from './clock.ts';
import { cluster } from './cluster.ts';
import { databaseUnavailable } from './database-away.ts';
import { disk } from './disk.ts';
import { frozen } from './frozen.ts';
import { hasStores, type Servers, storesNames } from './ground.ts';
import { kills } from './kills.ts';
import { objectStore } from './object-store.ts';
import { resume } from './resume.ts';
import type { Outcome, Scenario } from './scenario.ts';
import { stopping } from './stopping.ts';

const scenarios: readonly Scenario[] = [
  kills,
  disk,
  databaseUnavailable,
  frozen,
  cluster,
  objectStore,
  clients,
  clock,
  stopping,
  resume,
  audit,
];

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '80' },
    only: { type: 'string' },
    stores: { type: 'string' },
  },
});
const chosen = scenarios.filter(({ name }) => values.only === undefined || values.only === name);
const stores = storesNames.filter((name) => values.stores === undefined || values.stores === name);
if (chosen.length === 0 || stores.length === 0) {
  const names = scenarios.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`);
  console.error(`--only takes one of\n${names.join('\n')}\nand --stores one of ${storesNames.join(', ')}`);
  process.exit(2);
}

const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
const needed = stores.filter((name) => chosen.some((scenario) => scenario.stores.includes(name)));
const postgres = needed.some((name) => name !== 'sqlite+disk') ? await launchPostgres() : null;
const radosgw = needed.includes('postgres+s3') ? await launchRadosgw() : null;
const servers: Servers = { postgresUrl: postgres?.facts ?? null, s3: radosgw?.facts ?? null };
let lost = 0;
try {
  for (const scenario of chosen) {
    for (const name of stores.filter((one) => scenario.stores.includes(one))) {
      const outcome = await outcomeOf(scenario, name);
      lost += outcome.faults.length;
      print(scenario.name, name, outcome);
    }
  }
} finally {
  await radosgw?.stop();
  await postgres?.stop();
}
console.log(`seed ${values.seed}, ${seconds()} s, ${lost === 0 ? 'nothing lost' : `${lost} faults`}`);
process.exit(lost === 0 ? 0 : 1);

async function outcomeOf(scenario: Scenario, name: (typeof storesNames)[number]): Promise<Outcome> {
  if (!hasStores(servers, name))
    return {
      counts: {},
      faults: [],
      skipped: 'there is no S3 service: apt-get install radosgw ceph-mon ceph-osd',
    };
  const say = (text: string) => console.error(`${seconds()} s  ${scenario.name} on ${name}: ${text}`);
  try {
    const random = createRandom(Number(values.seed) * 1_000_003 + storesNames.indexOf(name));
    return await scenario.run({ servers, stores: name, random, rounds: Number(values.rounds), say });
  } catch (error) {
    return {
      counts: {},
      faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      skipped: null,
    };
  }
}

function print(scenario: string, name: string, { counts, faults, skipped }: Outcome): void {
  const shown = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
  const end = skipped === null ? `lost ${faults.length}` : `SKIPPED: ${skipped}`;
  console.log(`${scenario.padEnd(10)} ${name.padEnd(14)} ${[...shown, end].join(', ')}`);
  for (const fault of faults) console.log(`  ${fault}`);
}
