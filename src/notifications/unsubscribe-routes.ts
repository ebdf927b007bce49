import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { renderUnsubscribePage } from './unsubscribe-page.tsx';
import type { UnsubscribeTokens } from './unsubscribe-token.ts';

export interface UnsubscribeRouteParts {
  data: Data;
  frames: PageFrames;
  tokens: UnsubscribeTokens;
  now: () => number;
}

interface TokenAddress {
  Params: { token: string };
}

/**
 * Turns off mail about one app, for whoever has the link. Looking changes nothing: scanners follow every link of a mail.
 * A post does, whatever its body says; mail programs send `List-Unsubscribe=One-Click` and may not be redirected (RFC
 * 8058, section 3.1).
 */
export function unsubscribeRoutes(parts: UnsubscribeRouteParts): RouteModule {
  return (server) => {
    server.get<TokenAddress>('/unsubscribe/:token', (request, reply) => answer(parts, request, reply, null));
    server.post<TokenAddress>('/unsubscribe/:token', (request, reply) =>
      answer(parts, request, reply, false),
    );
    server.get<TokenAddress>('/unsubscribe/:token/undo', (request, reply) =>
      answer(parts, request, reply, null),
    );
    server.post<TokenAddress>('/unsubscribe/:token/undo', (request, reply) =>
      answer(parts, request, reply, true),
    );
  };
}

async function answer(
  parts: UnsubscribeRouteParts,
  request: FastifyRequest<TokenAddress>,
  reply: FastifyReply,
  wanted: boolean | null,
) {
  const { data, frames, tokens } = parts;
  const { token } = request.params;
  const subscription = tokens.read(token);
  const user = subscription && (await data.owners.findOwnerById(subscription.userId));
  const app = subscription && (await data.apps.findAppById(subscription.appId));
  if (!user || !app) throw new NotFound();
  if (wanted !== null) await data.mailChoices.setChoice(user.id, app.id, wanted, parts.now());
  const [latest] = await data.builds.listBuilds(app.id, { most: 1 });
  const chosen = wanted ?? (await data.mailChoices.findChoice(user.id, app.id));
  const html = renderUnsubscribePage({
    frame: frames.of(request, await frames.callerOrNobody(request)),
    token,
    userName: user.name,
    appName: latest?.info.name ?? app.packageName,
    platform: app.platform,
    state: chosen === false ? 'off' : wanted === true ? 'on' : 'ask',
  });
  return frames.send(reply, html);
}
