/** Everything that sends and changes hooks, wired. */

import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import { createTellHooks } from './dispatch-event.ts';
import { createPostHook } from './post-webhook-http.ts';
import { createSendLastHook } from './send-last-webhook.ts';
import {
  createDeliverHook,
  createHookSeal,
  createSendHook,
  type HookLog,
  openSecrets,
} from './send-webhook.ts';
import type { Hook } from './webhook.ts';
import { createHookChanges, type HookChanges } from './webhook-changes.ts';
import { createHookNetworks } from './webhook-networks.ts';
import { createFindTarget, createResolveName, type ResolveName } from './webhook-target.ts';

/** Takes the place of the internet. */
export interface HookSurroundings {
  resolve: ResolveName;
  /** Certificate authorities that are trusted. */
  authorities: readonly string[];
  timeoutMs: number;
}

export interface HooksParts {
  data: Data;
  /** The server's. */
  secret: ServerSecret;
  /** The public origin; null when there is none. */
  origin: string | null;
  /** What hooks may reach besides the internet. */
  networks: readonly string[];
  version: string;
  now: () => number;
  log: HookLog;
  wakeOutbox: () => void;
  surroundings?: Partial<HookSurroundings> | undefined;
}

export interface Hooks {
  handlers: Pick<JobHandlers, 'tell-hooks' | 'send-hook' | 'send-last-hook'>;
  hookChanges: HookChanges;
  isReadable: (hook: Hook) => boolean;
  /** Whether messages can carry links. */
  hasOrigin: boolean;
}

export function openHooks(parts: HooksParts): Hooks {
  const { surroundings = {} } = parts;
  const seal = createHookSeal(parts.secret);
  const findTarget = createFindTarget({
    networks: createHookNetworks(parts.networks),
    resolve: surroundings.resolve ?? createResolveName(),
  });
  const post = createPostHook({ ...surroundings, findTarget });
  const deliver = createDeliverHook({ ...parts, post, seal, userAgent: `Slipway/${parts.version}` });
  return {
    handlers: {
      'tell-hooks': createTellHooks(parts),
      'send-hook': createSendHook({ ...parts, deliver }),
      'send-last-hook': createSendLastHook({ ...parts, deliver }),
    },
    hookChanges: createHookChanges({ ...parts, seal, findTarget, deliver }),
    isReadable: (hook) => openSecrets(seal, hook) !== null,
    hasOrigin: parts.origin !== null,
  };
}
