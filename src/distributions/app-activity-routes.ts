import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { findManagedApp, type PlatformAppAddress } from '../apps/managed-app-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import type { RouteModule } from '../http/http-server.ts';
import { daysUpTo, type Period, periods } from './activity-plot.ts';
import { renderAppActivity } from './app-activity-page.tsx';

export interface AppActivityRouteParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
}

interface ActivityAddress {
  Params: PlatformAppAddress;
  Querystring: { days?: unknown };
}

const listedBuilds = 25;

/** Views and installs of an App's pages, for those who manage it; for everybody else it is not there. */
export function appActivityRoutes(parts: AppActivityRouteParts): RouteModule {
  return (server) => {
    server.get<ActivityAddress>(
      '/users/:owner/platforms/:platform/apps/:package/activity',
      (request, reply) => answerActivity(parts, request, reply),
    );
  };
}

async function answerActivity(
  parts: AppActivityRouteParts,
  request: FastifyRequest<ActivityAddress>,
  reply: FastifyReply,
) {
  const { data, frames } = parts;
  const caller = await frames.callerOrSignIn(request, reply);
  if (!caller) return reply;
  const app = await findManagedApp(parts, caller.actor, request.params);
  const frame = frames.of(request, caller);
  const period = readPeriod(request.query.days);
  const [fromDay = ''] = daysUpTo(frame.now, period);
  const builds = await data.pageCounts.countsByBuild(app.id, fromDay, listedBuilds + 1);
  const html = renderAppActivity({
    frame,
    app,
    period,
    counts: await data.pageCounts.countsByDay(app.id, fromDay),
    builds: builds.slice(0, listedBuilds),
    moreBuilds: builds.length > listedBuilds,
  });
  return frames.send(reply, html);
}

function readPeriod(text: unknown): Period {
  return periods.find((days) => String(days) === text) ?? 30;
}
