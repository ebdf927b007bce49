/** Stores feedback: screenshots first, then one transaction with the rows and the event. */
import { createHash } from 'node:crypto';
import type { App } from '../apps/app.ts';
import { parseBlobKey, screenshotKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { CommitUnknown, conflict, FormInvalid, NotFound } from '../core/errors.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Connection, Data } from '../db/data.ts';
import type { PageWithApp } from '../distributions/distribution-queries.ts';
import { distributionQueries } from '../distributions/distribution-queries.ts';
import { eventQueries } from '../jobs/event-queries.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { excerpt } from '../web/components/formats.ts';
import { maxFeedbackPerApp, maxStoredScreenshotBytes, type Screenshot } from './feedback.ts';
import { planAnnouncement } from './feedback-announcement.ts';
import { feedbackQueries } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

/** An untrusted file that was received. */
export interface ScreenshotFile {
  path: string;
  /** The file name given by the sender. */
  name: string;
}

export interface NewFeedback extends PageWithApp {
  revision: number;
  text: string;
  email: string | null;
  sender: string | null;
  device: string;
  /** The account or network of the sender. Screenshots from different sources are processed in turn. */
  source: string;
  files: readonly ScreenshotFile[];
}

export interface SendFeedbackDeps {
  data: Data;
  blobs: BlobStore;
  packages: Pick<PackageReader, 'drawScreenshot'>;
  canSendMail: boolean;
  now: () => number;
  /** Called after the commit, when the outbox may contain the event. */
  wakeOutbox: () => void;
}

/**
 * Returns the id. Throws `FormInvalid` for an unreadable screenshot or a build that the page does not serve, `conflict` if the
 * app has too much feedback, and `NotFound` if the form was closed in the meantime.
 */
export type SendFeedback = (feedback: NewFeedback) => Promise<string>;

const maxNameExcerpt = 80;
const t = feedbackTexts.errors;

export function createSendFeedback(deps: SendFeedbackDeps): SendFeedback {
  const { data, blobs, now } = deps;
  return async (feedback) => {
    const update = await distributionQueries(data).findUpdate(feedback.page.id, feedback.revision);
    if (!update || update.withdrawn) throw new FormInvalid({ revision: [t.build] });
    await checkSpace(data, feedback.app, 0);
    const pictures: Uint8Array[] = [];
    for (const file of feedback.files) pictures.push(await clean(deps, file, feedback.source));
    const receivedAt = now();
    const id = newIdentifier(receivedAt);
    const screenshots = pictures.map((bytes, index) => ({
      number: index + 1,
      blob: screenshotKey(id, index + 1),
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }));
    const { files, page, app, revision, source, ...content } = feedback;
    const at = now();
    try {
      for (const [index, { blob }] of screenshots.entries()) {
        await blobs.putBytes(blob, pictures[index] ?? new Uint8Array());
      }
      await data.transaction(async (tx) => {
        if (!(await feedbackQueries(tx).lockApp(app.id))) throw new NotFound();
        const current = await distributionQueries(tx).findPageById(page.id);
        const served = await distributionQueries(tx).findUpdate(page.id, revision);
        if (!current?.feedback || !served) throw new NotFound();
        await checkSpace(tx, app, sum(screenshots));
        await feedbackQueries(tx).insert(
          {
            ...content,
            id,
            appId: app.id,
            buildId: served.buildId,
            pageId: page.id,
            pageName: current.name,
            status: 'new',
            createdAt: at,
          },
          screenshots,
        );
        await eventQueries(tx).dispatch(app.owner.id, { type: 'feedback.created', feedbackId: id }, at);
        if (deps.canSendMail) await planAnnouncement(tx, app, receivedAt, at);
      });
    } catch (error) {
      if (error instanceof CommitUnknown) throw error;
      await Promise.allSettled(screenshots.map(({ blob }) => blobs.remove(parseBlobKey(blob))));
      throw error;
    }
    deps.wakeOutbox();
    return id;
  };
}

const sum = (screenshots: readonly Screenshot[]) =>
  screenshots.reduce((total, { sizeBytes }) => total + sizeBytes, 0);

/**
 * Screenshots have limits of their own, so that testers cannot use up the storage for builds. An Owner with a storage limit may
 * have no more than that of them, across all apps.
 */
async function checkSpace(data: Connection, app: App, bytes: number): Promise<void> {
  const used = await feedbackQueries(data).usage(app.id);
  if (used.count >= maxFeedbackPerApp || used.screenshotBytes + bytes > maxStoredScreenshotBytes) {
    throw conflict(t.full);
  }
  if (bytes === 0) return;
  for (const { maxBytes, ownerIds } of await quotaQueries(data).storageLimitsOf(app.owner.id)) {
    if ((await feedbackQueries(data).screenshotBytesOf(ownerIds)) + bytes > maxBytes) throw conflict(t.full);
  }
}

async function clean(
  { packages }: SendFeedbackDeps,
  file: ScreenshotFile,
  source: string,
): Promise<Uint8Array> {
  const picture = await packages.drawScreenshot(file.path, source).catch((error: unknown) => {
    // The screenshot exceeded the limits on time or memory.
    if (error instanceof UnreadablePackage) return null;
    throw error;
  });
  if (picture) return picture;
  throw new FormInvalid({ screenshots: [t.file({ name: excerpt(file.name, maxNameExcerpt) || t.unnamed })] });
}
