/** Tells the request log who was found to be calling. */
import type { Identify } from '../../accounts/sign-in/identify-http.ts';
import { noteCaller } from '../../http/request-log.ts';

export function noteCallers(identify: Identify): Identify {
  return {
    ...identify,
    actorByKey: async (request) => {
      const actor = await identify.actorByKey(request);
      noteCaller(request, actor?.kind ?? 'nobody');
      return actor;
    },
    requireActor: async (request) => {
      const actor = await identify.requireActor(request);
      noteCaller(request, actor.kind);
      return actor;
    },
    caller: async (request) => {
      const caller = await identify.caller(request);
      noteCaller(request, caller?.actor.kind ?? 'nobody');
      return caller;
    },
  };
}
