/** Publishes a build to a page, by the name of the page. */
import type { BuildChange } from '../../apps/builds/build-changes.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import { NotFound } from '../../core/errors.ts';
import { newHexKey } from '../../core/identifier.ts';
import type { Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { accessOfNewPage } from '../../owners/policies/enforce-policies.ts';
import { type DistributionPage, initialPageSettings } from '../distribution-page.ts';
import { distributionQueries } from '../distribution-queries.ts';
import { readNameAndNote, SettingsRefused } from './page-settings.ts';
import { entryOf, lockPublishable, recordNewPage, servedEvent } from './page-settings-change.ts';
import { pageSettingsQueries } from './page-settings-queries.ts';

/** If the note is empty, the message of the build is used. */
export interface PublishedToPage {
  page: string;
  note: string;
  notify: boolean;
}

/**
 * Serves the build on the page with that name, creating the page if there is none. Emails people about the build if requested,
 * each person once per build. Throws `SettingsRefused`.
 */
export type PublishToPage = (change: BuildChange, submitted: PublishedToPage) => Promise<DistributionPage>;

export function createPublishToPage(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains events. */
  wakeOutbox: () => void;
}): PublishToPage {
  return async (change, submitted) => {
    const page = await publish(deps.data, change, submitted, deps.now());
    deps.wakeOutbox();
    return page;
  };
}

async function publish(
  data: Data,
  { by, app, build }: BuildChange,
  submitted: PublishedToPage,
  now: number,
): Promise<DistributionPage> {
  const { name, note, errors } = readNameAndNote({ ...submitted, name: submitted.page });
  if (Object.keys(errors).length > 0) throw new SettingsRefused(errors);
  return data.transaction(async (tx) => {
    const locked = await lockPublishable(tx, app.id, build.revision);
    if (!locked) throw new NotFound(buildTexts.gone);
    const known = await distributionQueries(tx).findPageByName(app.id, name);
    const before =
      known && (await buildQueries(tx).servedBuilds([known.buildId])).get(known.buildId)?.revision;
    const page = await distributionQueries(tx).putPageByName({
      appId: app.id,
      name,
      accessKey: newHexKey(),
      access: await accessOfNewPage(tx, app.owner.id, initialPageSettings.access),
      buildId: build.id,
      releaseNote: note.trim() === '' ? locked.message : note,
      now,
    });
    const change = { by, app, page };
    await pageSettingsQueries(tx).setWithdrawn(page.id, build.id, false);
    const { revision } = build;
    const served = servedEvent(page.id, before ?? null, revision);
    if (known) {
      await eventQueries(tx).dispatch(app.owner.id, served, now);
      await auditQueries(tx).record(entryOf(change, 'page.published', now, { build: revision }));
    } else await recordNewPage(tx, change, { revision, after: [served] }, now);
    if (submitted.notify) {
      const job = { kind: 'announce-build', buildId: build.id, pageId: page.id } as const;
      await outboxQueries(tx).add(app.owner.id, job, now);
    }
    return page;
  });
}
