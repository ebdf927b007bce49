/** Creates the emails about a new build, one per recipient. */
import { appQueries } from '../apps/app-queries.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import type { Connection, Data } from '../db/data.ts';
import { distributionQueries } from '../distributions/distribution-queries.ts';
import { analysisQueries } from '../insight/analysis-queries.ts';
import { type Job, NotReady } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { mailRetentionMs, maxMailAgeMs } from './mail.ts';
import { mailQueries } from './mail-queries.ts';
import { mailChoiceQueries } from './pages/mail-choice-queries.ts';

export interface AnnounceDeps {
  data: Data;
  /** Whether email can be sent; otherwise emails are only stored. */
  canSend: boolean;
  now: () => number;
  /** Called after the commit, when the outbox contains emails. */
  wakeOutbox: () => void;
}

const recipientsPerBatch = 500;
/** The analysis takes seconds; afterwards, emails go without its result. */
const maxChecksWaitMs = 10 * 60_000;
/** The analysis hastens the job when it ends. */
const checksPollMs = 30_000;

/** Emails testers at once, and people who manage the app as soon as the checks are known, so that everybody gets one email. */
export function createAnnounceBuild({ data, canSend, now, wakeOutbox }: AnnounceDeps) {
  const write = async (job: Extract<Job, { kind: 'announce-build' }>, ownerId: string, manage?: false) => {
    await data.transaction((tx) => writeMails(tx, { ...job, ownerId, manage }, canSend, now()));
    wakeOutbox();
  };
  const waitsForChecks = async (buildId: string) => {
    const build = await buildQueries(data).findBuild(buildId);
    return (
      build !== null &&
      now() < build.createdAt + maxChecksWaitMs &&
      !(await analysisQueries(data).has(buildId))
    );
  };
  return async (job: Extract<Job, { kind: 'announce-build' }>, ownerId: string): Promise<void> => {
    if (await waitsForChecks(job.buildId)) {
      await write(job, ownerId, false);
      if (await waitsForChecks(job.buildId)) throw new NotReady(now() + checksPollMs);
    }
    await write(job, ownerId);
    await mailQueries(data).deleteOldMails(Math.max(now() - mailRetentionMs, 0));
  };
}

/** SQL only. If it is repeated after an interruption, it only adds missing emails. */
async function writeMails(
  data: Connection,
  {
    buildId,
    pageId,
    ownerId,
    manage,
  }: { buildId: string; pageId: string | null; ownerId: string; manage: false | undefined },
  canSend: boolean,
  now: number,
): Promise<void> {
  const build = await buildQueries(data).findBuild(buildId);
  const app = build && (await appQueries(data).findAppById(build.appId));
  const page = pageId === null ? null : await distributionQueries(data).findPageById(pageId);
  if (!build || !app) return;
  const { name, versionName, versionCode } = build.info;
  const about = { app: name, versionName, versionCode, platform: app.platform };
  const until = build.createdAt + maxMailAgeMs;
  let after = '';
  for (;;) {
    const recipients = await mailChoiceQueries(data).listRecipients(app, {
      after,
      limit: recipientsPerBatch,
      groupsOf: page?.access === 'groups' ? page.id : null,
      ...(manage === false ? { manage } : {}),
    });
    const mailIds = await mailQueries(data).insertMails(
      recipients.map(({ userId, address }) => ({
        userId,
        address,
        buildId,
        pageId: page?.id ?? null,
        state: canSend ? 'waiting' : 'kept',
        about,
      })),
      now,
    );
    if (canSend) {
      const jobs = mailIds.map((mailId) => ({ kind: 'send-mail', mailId, until }) as const);
      await outboxQueries(data).addAll(ownerId, jobs, now);
    }
    const last = recipients.at(-1);
    if (!last || recipients.length < recipientsPerBatch) return;
    after = last.userId;
  }
}
