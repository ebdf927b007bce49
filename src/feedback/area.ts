import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import { createManagedAppAccess } from '../apps/managed-app-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Spool } from '../blobs/spool/spool.ts';
import type { Brands } from '../branding/brands.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import type { PageAccess } from '../distributions/access/page-access-http.ts';
import type { Route } from '../http/routes/route.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import type { Attempts } from '../limits/attempts.ts';
import type { MailDelivery } from '../mail/delivery.ts';
import { createUnsubscribeTokens } from '../mail/pages/unsubscribe-token.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { createAnnounceFeedback, createSendFeedbackMail } from './feedback-announcement.ts';
import { feedbackApiRoutes } from './feedback-api-routes.ts';
import { createFeedbackChanges } from './feedback-changes.ts';
import { inboxRoutes } from './inbox-routes.ts';
import { createSendFeedback } from './send-feedback.ts';
import { createSendFeedbackReply } from './send-feedback-reply.ts';
import { sendFeedbackRoutes } from './send-feedback-routes.ts';

interface FeedbackAreaDeps {
  data: Data;
  brands: Brands;
  blobs: BlobStore;
  spool: Spool;
  packages: Pick<PackageReader, 'drawScreenshot'>;
  access: RouteAccess;
  viewAccess: ViewAccess;
  pageAccess: PageAccess;
  appHeads: AppHeads;
  attempts: Attempts;
  secret: ServerSecret;
  /** Null if email cannot be sent. */
  delivery: MailDelivery | null;
  now: () => number;
  wakeOutbox: () => void;
}

export interface FeedbackArea {
  routes: Route[];
  jobs: Pick<JobHandlers, 'send-feedback-reply' | 'announce-feedback' | 'send-feedback-mail'>;
}

/** Feedback from testers: the form on distribution pages, and the inbox of an app. */
export function createFeedbackArea(deps: FeedbackAreaDeps): FeedbackArea {
  const canSendMail = deps.delivery !== null;
  const { managedApp } = createManagedAppAccess(deps);
  const feedbackChanges = createFeedbackChanges({ ...deps, canSend: canSendMail });
  const announcing = { ...deps, tokens: createUnsubscribeTokens(deps.secret) };
  return {
    routes: [
      ...sendFeedbackRoutes({ ...deps, sendFeedback: createSendFeedback({ ...deps, canSendMail }) }),
      ...inboxRoutes({ ...deps, managedApp, feedbackChanges, canSendMail }),
      ...feedbackApiRoutes({ ...deps, managedApp, feedbackChanges }),
    ],
    jobs: {
      'send-feedback-reply': createSendFeedbackReply(deps),
      'announce-feedback': createAnnounceFeedback(announcing),
      'send-feedback-mail': createSendFeedbackMail(announcing),
    },
  };
}
