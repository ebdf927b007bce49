/** Reads the key in SLIPWAY_API_KEY. It belongs to the server in SLIPWAY_URL, and no command sends it anywhere else. */
import { printable } from './terminal-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `key` is null if there is none for the server; `refusal` then explains why a key in the environment is not sent. */
type EnvironmentKey = { key: string; refusal: null } | { key: null; refusal: string | null };

/** `origin`: the server that the command calls. */
export function environmentKeyFor(environment: Environment, origin: string): EnvironmentKey {
  const key = environment.SLIPWAY_API_KEY?.trim();
  const own = environment.SLIPWAY_URL?.trim();
  if (!key) return { key: null, refusal: null };
  if (!own)
    return {
      key: null,
      refusal: 'SLIPWAY_API_KEY is sent only to the server in SLIPWAY_URL, which is not set',
    };
  if (URL.parse(own.includes('://') ? own : `https://${own}`)?.origin === origin)
    return { key, refusal: null };
  return { key: null, refusal: `SLIPWAY_API_KEY is for ${printable(own)} and is not sent to ${origin}` };
}
