import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Returns what curl prints. Rejects when it fails, also on an HTTP status of 400 or more. */
export async function curl(args: readonly string[]): Promise<string> {
  const child = spawn('curl', ['-sS', '--fail', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`curl ${args.join(' ')} failed`);
  return printed;
}
