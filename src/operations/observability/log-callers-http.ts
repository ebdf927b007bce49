/** Records the identified caller for the request log. */
import type { Identify } from '../../accounts/sign-in/identify-http.ts';
import { recordCaller } from '../../http/request-log.ts';

export function recordCallers(identify: Identify): Identify {
  return {
    ...identify,
    actorByKey: async (request) => {
      const actor = await identify.actorByKey(request);
      recordCaller(request, actor?.kind ?? 'nobody');
      return actor;
    },
    requireActor: async (request) => {
      const actor = await identify.requireActor(request);
      recordCaller(request, actor.kind);
      return actor;
    },
    caller: async (request) => {
      const caller = await identify.caller(request);
      recordCaller(request, caller?.actor.kind ?? 'nobody');
      return caller;
    },
  };
}
