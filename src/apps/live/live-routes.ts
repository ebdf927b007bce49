import * as v from 'valibot';
import type { Caller } from '../../accounts/authorization/identify-http.ts';
import type { Data } from '../../db/data.ts';
import { events } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { EventStreams } from '../../http/sending/event-streams.ts';
import { networkOf } from '../../limits/client-network.ts';
import type { PageViewer } from '../listed-page.ts';
import type { VisibleAppAccess } from '../visible-app-access-http.ts';
import { liveQueries } from './live-queries.ts';

interface LiveDeps {
  data: Data;
  now: () => number;
  streams: EventStreams;
  visibleApps: VisibleAppAccess['visibleApps'];
}

/** Also watches this build and those before it. */
const query = { revision: lenient(v.pipe(v.string(), v.regex(/^[1-9]\d{0,14}$/))) };

/** Notifies open pages of an app of changes, until the caller may no longer see the app. */
export function liveRoutes({ data, now, streams, visibleApps }: LiveDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/users/:owner/platforms/:platform/apps/:package/live',
      summary: 'Stream changes of an app as server-sent events',
      access: visibleApps,
      keyScope: 'read',
      eventStream: true,
      query,
      handle: async ({ caller, client, subject, reauthorize, query: { revision } }) => {
        const { id } = subject.apps[0];
        // All viewers of a kind share a topic, so members are not notified of changes to pages of their groups.
        const kind = subject.manages ? 'manager' : subject.secret === null ? 'member' : 'guest';
        const viewer = (): PageViewer => ({ kind, now: now() });
        const from = revision === undefined ? null : Number(revision);
        return events(() =>
          streams.open({
            holder: caller ? holderOf(caller) : `network ${networkOf(client.address)}`,
            topic: `app ${id} for ${kind}${from === null ? '' : ` from ${from}`}`,
            read: () => liveQueries(data).appState(viewer(), id, from),
            reauthorize,
          }),
        );
      },
    }),
  ];
}

const holderOf = ({ actor }: Caller) =>
  actor.kind === 'user' ? `user ${actor.user.id}` : `project ${actor.project.id}`;
