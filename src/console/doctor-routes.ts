import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/identify-http.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import { readSessionForm } from '../access/session-form-http.ts';
import { notFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { renderDoctorPage } from './doctor-page.tsx';

export interface DoctorRouteParts {
  frames: PageFrames;
  runDoctor: () => Promise<DoctorCheck[]>;
}

const missing = () => notFound('there is nothing at this address');

/** The doctor as a page, for administrators. It runs when its button is pressed, and for all who press at once only once. */
export function doctorRoutes({ frames, runDoctor }: DoctorRouteParts): RouteModule {
  let underWay: Promise<DoctorCheck[]> | null = null;
  const run = () => {
    underWay ??= runDoctor().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  const administrator = async (request: FastifyRequest) => {
    const caller = await frames.callerOrNobody(request);
    if (caller?.actor.kind !== 'user' || !caller.actor.user.administrator) throw missing();
    return { ...caller, actor: caller.actor };
  };
  return (server) => {
    server.get(siteAddresses.doctor, async (request, reply) => {
      const caller: Caller = await administrator(request);
      return frames.send(reply, renderDoctorPage({ frame: frames.of(request, caller), checks: null }));
    });
    server.post(siteAddresses.doctor, async (request, reply) => {
      const { actor, sessionToken } = await administrator(request);
      if (sessionToken === null) throw missing();
      readSessionForm({ actor, sessionToken }, request.body);
      const checks = await run();
      const frame = frames.of(request, { actor, sessionToken });
      return frames.send(reply, renderDoctorPage({ frame, checks }));
    });
  };
}
