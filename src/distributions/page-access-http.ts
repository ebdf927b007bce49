/** Lets a request into a distribution page, or answers it with what stands in the way. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/identify-http.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import { pageSettingsPath } from '../apps/addresses.ts';
import type { App } from '../apps/app.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { readPartCookie } from '../http/secure-cookies.ts';
import type { DistributionPage } from './distribution-page.ts';
import { passcodePath } from './page-addresses.ts';
import { type PageGate, renderPageGate } from './page-gate.tsx';
import { judgeVisit, type Standing } from './page-rules.ts';
import { type PasscodePasses, passcodeCookie } from './passcode-pass.ts';

export interface PageVisit {
  page: DistributionPage;
  app: App;
  caller: Caller | null;
  /** May change the page: its owner, or a member of the Project's owner or developer team. */
  mayManage: boolean;
  /** Sees the App without the page, too. */
  member: boolean;
}

/** Why a passcode that was given did not open the page. */
export interface PasscodeFault {
  status: number;
  sentence: string;
}

export interface PageAccess {
  /**
   * The page for a request that may enter it. Throws `not_found` when there is none for this visitor; answers the
   * request itself (a form for the passcode, the way to the sign-in page, why it is closed) and returns null.
   */
  enter(request: FastifyRequest, reply: FastifyReply, accessKey: string): Promise<PageVisit | null>;
  /** The page whoever asks, with where they stand: for answers that are no pages. */
  standing(request: FastifyRequest, accessKey: string): Promise<{ visit: PageVisit; standing: Standing }>;
  /** Answers with what stands in the way. */
  refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: PageVisit,
    standing: Exclude<Standing, { kind: 'admitted' }>,
    passcodeFault?: PasscodeFault,
  ): Promise<null>;
}

export interface PageAccessParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
  passes: PasscodePasses;
  originOf: OriginOf;
  now: () => number;
}

const missing = () => new NotFound();

export function createPageAccess(parts: PageAccessParts): PageAccess {
  const { data, frames, now } = parts;
  const standing: PageAccess['standing'] = async (request, accessKey) => {
    const page = await data.distributions.findPage(accessKey);
    const app = page && (await data.apps.findAppById(page.appId));
    if (!page || !app) throw missing();
    const caller = await frames.callerOrNobody(request);
    const mayManage = caller !== null && (await parts.viewAccess.manages(caller.actor, app));
    const member = caller !== null && (mayManage || (await parts.viewAccess.app(caller.actor, app)));
    const judged = judgeVisit(page, {
      now: now(),
      address: request.ip,
      member,
      signedIn: caller !== null,
      knowsPasscode: parts.passes.isValid(
        page,
        readPartCookie(parts.originOf, request, passcodeCookie),
        now(),
      ),
    });
    return { visit: { page, app, caller, mayManage, member }, standing: judged };
  };
  const refuse: PageAccess['refuse'] = async (request, reply, visit, why, fault) => {
    if (why.kind === 'stranger') throw missing();
    if (why.kind === 'sign-in') {
      await frames.callerOrSignIn(request, reply);
      return null;
    }
    const html = renderPageGate({
      frame: frames.of(request, visit.caller),
      gate: gateOf(why, visit.page, fault?.sentence ?? null),
      manageAddress: visit.mayManage ? pageSettingsPath(visit.page.accessKey) : null,
    });
    await frames.send(reply.code(fault?.status ?? (why.kind === 'closed' ? 404 : 403)), html);
    return null;
  };
  return {
    standing,
    refuse,
    enter: async (request, reply, accessKey) => {
      const { visit, standing: judged } = await standing(request, accessKey);
      return judged.kind === 'admitted' ? visit : refuse(request, reply, visit, judged);
    },
  };
}

function gateOf(
  why: Exclude<Standing, { kind: 'admitted' | 'stranger' | 'sign-in' }>,
  page: DistributionPage,
  error: string | null,
): PageGate {
  return why.kind === 'passcode' ? { ...why, action: passcodePath(page.accessKey), error } : why;
}
