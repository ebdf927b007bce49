/** Access rules of installs: a token signed by the page grants access while the page rules allow it. */

import type { FastifyRequest } from 'fastify';
import type { Build } from '../../apps/app.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { ViewAccess } from '../../apps/view-access.ts';
import { AppError, Forbidden, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { acceptsPage } from '../../http/routes/client.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { gateTexts } from '../access/gate-texts.ts';
import { membershipOf } from '../access/page-membership.ts';
import { logRefusal, type RefusalReason, refusalError, refusalReason } from '../access/page-refusal.ts';
import { decideOpening } from '../access/page-rules.ts';
import type { PageCounts } from '../activity/page-counts.ts';
import { distributionQueries, type PageWithApp } from '../distribution-queries.ts';
import { isWithdrawn } from './install-blockers.ts';
import type { InstallMemberTokens } from './install-member.ts';
import type { InstallTokenPurpose, InstallTokens, InstallVisit } from './install-token.ts';

export interface InstallAccessDeps {
  data: Data;
  installTokens: InstallTokens;
  installMembers: InstallMemberTokens;
  counts: Pick<PageCounts, 'refused'>;
  viewAccess: ViewAccess;
  now: () => number;
}

export interface ServedBuild extends PageWithApp {
  build: Build;
  visit: InstallVisit;
  /** ID of the member who opened the page; null for guests. */
  memberId: string | null;
}

type ByInstallToken<Subject> = Access<{ accessKey: string; revision: number }, null, Subject>;

/** Returns the build of the token if the page still serves it. Invalid tokens and unknown links get the same response. */
export function byInstallToken(
  deps: InstallAccessDeps,
  purpose: InstallTokenPurpose,
): ByInstallToken<ServedBuild> {
  const { data } = deps;
  return {
    roles: ['link holder'],
    credentials: ['link'],
    others: 'missing',
    // The iOS installer sends neither cookies nor keys.
    identify: async () => null,
    authorize: async (_caller, { accessKey, revision }, request) => {
      const now = deps.now();
      const found = await distributionQueries(data).findPageWithApp(accessKey);
      if (!found) throw new NotFound();
      const { page, app } = found;
      const update = await distributionQueries(data).findUpdate(page.id, revision);
      // A refused icon is not logged as a refused install.
      const log = purpose === 'icon' ? { info: () => {} } : request.log;
      let memberId: string | null = null;
      const refuse = (reason: RefusalReason, error: AppError) => {
        logRefusal(log, page, reason);
        if (purpose !== 'icon') {
          const { method, headers } = request;
          const refused = { page, app, reason, memberId, device: null };
          deps.counts.refused(refused, { method, userAgent: headers['user-agent'] });
        }
        return error;
      };
      if (!update) throw refuse('unknown-build', new NotFound());
      const context = { purpose, page, app, buildId: update.buildId };
      const checked = deps.installTokens.check(queryOf(request).ticket, now, context);
      if (checked.kind === 'invalid') throw refuse('invalid-link', new NotFound());
      if (checked.kind === 'expired')
        throw refuse('expired-link', new Forbidden(gateTexts.refused.linkExpired));
      memberId = deps.installMembers.read(queryOf(request).by, now, checked.payload);
      const closed = decideOpening(page, { now, address: request.ip });
      if (closed) throw refuse(refusalReason(closed), refusalError(closed));
      if (isWithdrawn(page, update)) throw refuse('withdrawn', new Forbidden(gateTexts.refused.withdrawn));
      const build = await buildQueries(data).findBuild(update.buildId);
      if (!build) throw refuse('unknown-build', new NotFound());
      return { page, app, build, visit: checked.payload, memberId };
    },
  };
}

/** A link that has expired or was rotated meanwhile does not end a download, but the member may have lost access to the page. */
export const reauthorizeMember =
  (deps: InstallAccessDeps) =>
  async ({ subject }: { subject: ServedBuild | null }): Promise<void> => {
    if (!subject || subject.memberId === null) return;
    const { page } = subject;
    if (page.access !== 'members' && page.access !== 'groups') return;
    const user = await ownerQueries(deps.data).findActiveUser(subject.memberId);
    const { member, inGroup } = await membershipOf(deps, subject, user && { kind: 'user', user });
    if (!(page.access === 'groups' ? inGroup : member)) throw new NotFound();
  };

const queryOf = ({ query }: FastifyRequest) => query as Record<string, unknown>;

/** Like `byInstallToken`, but the subject is null for a refused browser, which is redirected to the page. */
export function redirectRejectedToPage(
  access: ByInstallToken<ServedBuild>,
): ByInstallToken<ServedBuild | null> {
  return {
    ...access,
    authorize: async (caller, params, request) => {
      try {
        return await access.authorize(caller, params, request);
      } catch (error) {
        const isRefusal =
          error instanceof AppError && (error.kind === 'forbidden' || error.kind === 'not_found');
        if (!isRefusal || request.method !== 'GET' || !acceptsPage(request)) throw error;
        return null;
      }
    },
  };
}
