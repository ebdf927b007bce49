/** Notifies people that an app bundle could not be converted to an APK. */
import type { AccountEmail } from '../accounts/profile/account-email-content.ts';
import { noticeLifetimeMs } from '../accounts/profile/notice.ts';
import { type App, appName, type Build } from '../apps/app.ts';
import { revisionPath } from '../apps/app-paths.ts';
import { versionText } from '../apps/builds/version-text.ts';
import { findingText } from '../apps/findings/finding-texts.ts';
import type { Connection, Data } from '../db/data.ts';
import type { AccountEmailJob } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { useLanguageOf } from '../owners/recipient-language.ts';
import { uploadTexts } from './upload-texts.ts';

/** Call it in the transaction that records the failure. `uploaderId`: null for the owners of the Project. */
export async function notifyBundleFailure(
  tx: Connection,
  about: { app: App; build: Build; reason: string; uploaderId: string | null; now: number },
): Promise<void> {
  const { app, build, reason, uploaderId, now } = about;
  const owners = uploaderId === null ? await ownerQueries(tx).listMembers(app.owner.id) : [];
  const ownerIds = owners.filter(({ teams }) => teams.includes('owner')).map(({ user }) => user.id);
  const accountEmail = {
    about: 'bundle-failed',
    build: `${appName(app)} ${versionText(build.info)} #${build.revision}`,
    path: revisionPath(app.owner, app.platform, app.packageName, build.revision),
    reason,
  } as const;
  const jobs = (uploaderId === null ? ownerIds : [uploaderId]).map(
    (userId) =>
      ({
        kind: 'send-account-email',
        accountEmail: { ...accountEmail, userId },
        until: now + noticeLifetimeMs,
      }) as const,
  );
  await outboxQueries(tx).addAll(app.owner.id, jobs, now);
}

/** Null if the person was deleted or has no address. */
export async function writeBundleFailure(
  data: Data,
  { userId, build, path, reason }: Extract<AccountEmailJob, { about: 'bundle-failed' }>,
): Promise<AccountEmail | null> {
  const user = await ownerQueries(data).findOwnerById(userId);
  if (user?.kind !== 'user' || user.email === null) return null;
  await useLanguageOf(data, userId);
  const t = uploadTexts.bundleFailed;
  // Line breaks in a name could forge lines of the email.
  const name = build.replace(/\s+/g, ' ');
  return {
    to: { name: user.name, address: user.email },
    subject: t.subject({ build: name }),
    lines: [t.line({ build: name }), t.reason({ reason: findingText(reason) }), t.next],
    link: { label: t.link, path },
    reason: t.why,
  };
}
