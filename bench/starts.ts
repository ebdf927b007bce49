/** Processor time of a start of the program, beside Node itself (Linux only). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { atMost, median, type Result } from './measure.ts';
import { cpuSecondsOf, entry, startSlipway } from './run-server.ts';

/** Starts are counted in ticks of 10 ms, so each figure is the sum of several. */
const startsPerRound = 10;
const rounds = 5;

/** `settings`: of an existing installation. */
export async function benchStarts(settings: Record<string, string>): Promise<Result[]> {
  const commands = { node: ['-e', '0'], version: [entry, '--version'] };
  const seconds = { node: [] as number[], version: [] as number[], serve: [] as number[] };
  const readyAfterMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const name of ['node', 'version'] as const)
      seconds[name].push(await cpuSecondsOfStarts(commands[name]));
    const slipway = await startSlipway(settings);
    seconds.serve.push(cpuSecondsOf(slipway.pid));
    readyAfterMs.push(slipway.readyAfterMs);
    await slipway.stop();
  }
  const bare = median(seconds.node);
  const note = (value: number) => `${Math.round(value * 1000)} ms; bare Node ${Math.round(bare * 1000)}`;
  const [version, serve] = [median(seconds.version), median(seconds.serve)];
  return [
    atMost('slipway --version, processor time relative to bare Node', version / bare, 2, ' ×', note(version)),
    atMost('server ready, processor time relative to bare Node', serve / bare, 10, ' ×', note(serve)),
    atMost('ready after the process starts', median(readyAfterMs) / 1000, 1, ' s'),
  ];
}

/** Processor time of one start, on average. */
async function cpuSecondsOfStarts(args: readonly string[]): Promise<number> {
  const before = endedChildrenSeconds();
  for (let start = 0; start < startsPerRound; start++) {
    const [code] = await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit');
    if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  }
  return (endedChildrenSeconds() - before) / startsPerRound;
}

/** User and system time of the children that have ended: fields 16 and 17 of /proc/self/stat (man 5 proc_pid_stat), in ticks of 10 ms. */
function endedChildrenSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
