/** Common structure of scenarios in which a fault comes and goes under a running server while clients upload. */
import type { RandomSource } from '../fuzz/random.ts';
import { type UploadOrder, upload } from './client.ts';
import type { Ground } from './ground.ts';
import type { Ledger } from './ledger.ts';
import { randomApk } from './people.ts';
import { type Outcome, outcomeOf, type ScenarioRun, until } from './scenario.ts';
import { checkNow, servingErrors, settleAndCheck } from './settle.ts';

export interface ComingFault {
  /** Settings for the server, in addition to the environment’s. */
  environment: Record<string, string>;
  /** The counter in the result table. */
  name: string;
  times: number;
  mayBeRefused: NonNullable<UploadOrder['mayBeRefused']>;
  begin(time: number): Promise<void>;
  end(): Promise<void>;
  /** The last time, the fault lasts until an upload has been refused; otherwise only briefly. */
  refusesAtLast: boolean;
  /** Sometimes sends larger packages. */
  largeToo?: boolean;
}

const uploadersAtOnce = 3;
const longestMomentMs = 1_500;

export async function faultWhileUploading(
  run: ScenarioRun,
  ground: Ground,
  ledger: Ledger,
  fault: ComingFault,
): Promise<Outcome> {
  const { random } = run;
  const server = await ground.serve({ environment: fault.environment });
  const { origin } = server;
  const state = { stopped: false };
  const uploaders = Array.from({ length: uploadersAtOnce }, (_, index) =>
    uploadUntilStopped(origin, ledger, random, index, fault, state),
  );
  const { counts } = ledger;
  const faults: string[] = [];
  try {
    for (let time = 0; time < fault.times; time++) {
      await untilOneMore('an upload was accepted', () => counts.acknowledged);
      await pause(random.below(100));
      await fault.begin(time);
      const last = time === fault.times - 1;
      if (last && fault.refusesAtLast) await untilOneMore('an upload was refused', () => counts.refused);
      else await pause(random.below(longestMomentMs));
      await fault.end();
    }
    await untilOneMore('an upload was taken again', () => counts.acknowledged);
    // One at a time: all requests that waited for the fault have been answered.
    for (let index = 0; index < uploadersAtOnce; index++)
      await untilOneMore('uploads are taken again', () => counts.acknowledged);
    faults.push(...(await servingErrors(origin, ledger)));
  } finally {
    state.stopped = true;
    await Promise.all(uploaders);
  }
  const end = await server.stop();
  if (end.code !== 0)
    faults.push(`the server ended with ${end.code ?? end.signal}: ${end.stderr.slice(-500)}`);
  const compared = new Set<string>();
  const checks = [await checkNow(ground, ledger, compared), await settleAndCheck(ground, ledger, compared)];
  const outcome = outcomeOf(ledger, checks, { [fault.name]: fault.times });
  return { ...outcome, faults: [...faults, ...outcome.faults] };
}

async function uploadUntilStopped(
  origin: string,
  ledger: Ledger,
  random: RandomSource,
  index: number,
  { mayBeRefused, largeToo = false }: ComingFault,
  state: { stopped: boolean },
): Promise<void> {
  const packageName = `com.example.app${index % 2}`;
  while (!state.stopped) {
    const fields = { distribution_name: `branch-${random.below(3)}` };
    const bytes = randomApk(random, packageName, largeToo);
    const answer = await upload(origin, ledger, { packageName, bytes, fields, mayBeRefused });
    // A client that is refused tries again after a moment.
    if (!answer) await pause(50);
  }
}

async function untilOneMore(what: string, count: () => number): Promise<void> {
  const before = count();
  await until(what, () => count() > before);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
