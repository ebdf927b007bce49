/** S3 that is slow, fails, refuses and disconnects while clients upload. */
import { type Fault, startFaultyProxy } from '../test/support/faulty-proxy.ts';
import { createGround } from './ground.ts';
import { openLedger } from './ledger.ts';
import { isUnavailable, type Outcome, type Scenario, type ScenarioRun } from './scenario.ts';
import { faultWhileUploading } from './under-fault.ts';

const always = Number.POSITIVE_INFINITY;

export const objectStore: Scenario = {
  name: 's3',
  about: 'S3 slow, answering 500 and 503, refusing, cutting off requests and answers, getting changed bytes',
  stores: ['postgres+s3'],
  run: spoil,
};

async function spoil(run: ScenarioRun): Promise<Outcome> {
  const { random } = run;
  const ground = await createGround(run.servers, run.stores);
  const endpoint = ground.s3?.config.endpoint ?? '';
  const proxy = await startFaultyProxy(new URL(endpoint));
  const kinds: (() => Fault)[] = [
    () => ({ kind: 'answer', status: 500, times: always }),
    () => ({ kind: 'answer', status: 503, times: 1 + random.below(6) }),
    () => ({ kind: 'cut-request', afterBytes: random.below(400_000), times: 1 + random.below(6) }),
    () => ({ kind: 'cut-answer', to: 'PUT', afterBytes: random.below(300), times: 1 + random.below(6) }),
    () => ({ kind: 'hold', afterBytes: random.below(400_000) }),
    () => ({ kind: 'flip', times: always }),
    () => ({ kind: 'trickle', everyMs: 5 }),
    () => ({ kind: 'refuse' }),
  ];
  try {
    return await faultWhileUploading(run, ground, openLedger(), {
      environment: {
        SLIPWAY_BLOB_URL: (ground.environment.SLIPWAY_BLOB_URL ?? '').replace(endpoint, proxy.endpoint),
      },
      name: 'faults',
      times: Math.max(kinds.length, Math.ceil(run.rounds / 5)),
      mayBeRefused: isUnavailable,
      begin: async (time) => {
        // The last fault refuses everything, so that the scenario can wait for a refusal.
        proxy.set(kinds[time % kinds.length]?.() ?? { kind: 'refuse' });
      },
      end: async () => proxy.set({ kind: 'none' }),
      refusesAtLast: false,
      largeToo: true,
    });
  } finally {
    await ground.remove();
    await proxy.close();
  }
}
