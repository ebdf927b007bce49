/** List Your Projects compared with a Fastify route that runs the same statements on the bare driver. */
import autocannon from 'autocannon';
import { atLeast, median, type Result, round } from './measure.ts';
import { benchKey } from './run-server.ts';

const rounds = 3;
const seconds = 3;

/** Completed requests per second with 50 connections. */
async function throughput(origin: string): Promise<number> {
  const result = await autocannon({
    url: `${origin}/api/organizations`,
    connections: 50,
    duration: seconds,
    headers: { authorization: `Bearer ${benchKey}` },
  });
  if (result.non2xx > 0) throw new Error(`${origin} refused ${result.non2xx} requests`);
  return result.requests.average;
}

export async function benchList(what: string, slipway: string, bare: string): Promise<Result> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await throughput(slipway));
    theirs.push(await throughput(bare));
  }
  const [one, other] = [median(ours), median(theirs)];
  return atLeast(what, (one / other) * 100, 70, ' %', `${round(one)} of ${round(other)} requests/s`);
}
