/** List Your Projects compared with a Fastify route that runs the same statements on the bare driver. */
import autocannon from 'autocannon';
import { atLeast, median, physicalLimit, type Result, round } from './measure.ts';
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

/** `sameWork`: the bare route with the log line and the statements of Slipway. */
export async function benchList(
  what: string,
  { slipway, bare, sameWork }: Record<'slipway' | 'bare' | 'sameWork', string>,
): Promise<Result[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const equals: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await throughput(slipway));
    theirs.push(await throughput(bare));
    equals.push(await throughput(sameWork));
  }
  const [one, other, equal] = [median(ours), median(theirs), median(equals)];
  const note = (rate: number) => `${round(one)} of ${round(rate)} requests/s`;
  return [
    atLeast(what, (one / equal) * 100, 80, ' %', note(equal)),
    physicalLimit(what, (one / other) * 100, ' %', note(other)),
  ];
}
