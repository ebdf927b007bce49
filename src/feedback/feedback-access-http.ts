/** Access rules of feedback: those of its page for the form; for the inbox, people who manage the app. */
import type { Caller } from '../accounts/authorization/identify-http.ts';
import type { PersonRule } from '../accounts/authorization/key-access-http.ts';
import type { ManagedAppAccess, PlatformAppAddress } from '../apps/managed-app-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { PageAccess } from '../distributions/access/page-access-http.ts';
import { refuseVisit } from '../distributions/access/page-refusal.ts';
import type { ManagedFeedback } from './feedback.ts';
import { feedbackQueries } from './feedback-queries.ts';

/** Like `pageAccess`, but throws `NotFound` for pages without a feedback form. */
export function onlyWithFeedback(pageAccess: PageAccess): PageAccess {
  return {
    ...pageAccess,
    authorize: async (...asked) => {
      const subject = await pageAccess.authorize(...asked);
      if (subject.gate === null && !subject.page.feedback) throw new NotFound();
      return subject;
    },
  };
}

/** Refuses the body of a visitor who would see the gate: throws `NotFound` or `Forbidden`. */
export function onlyAdmitted(pageAccess: PageAccess): PageAccess {
  return {
    ...pageAccess,
    authorize: async (caller, params, request) => {
      const subject = await pageAccess.authorize(caller, params, request);
      if (subject.gate !== null) throw refuseVisit(request.log, subject.gatedPage, subject.gate);
      return subject;
    },
  };
}

/** Finds the feedback in the path for people who manage its app; everyone else gets `NotFound`. */
export function createManagedFeedback(
  data: Data,
  managedApp: ManagedAppAccess['managedApp'],
): PersonRule<PlatformAppAddress & { feedback: string }, ManagedFeedback, Caller> {
  return {
    ...managedApp,
    authorize: async (caller, params, request) => {
      const app = await managedApp.authorize(caller, params, request);
      const feedback = await feedbackQueries(data).find(params.feedback);
      if (!feedback || feedback.appId !== app.id) throw new NotFound();
      return { app, feedback };
    },
  };
}
