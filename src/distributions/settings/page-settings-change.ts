/** Changes to distribution pages: each action is one transaction with an audit log entry. */

import { hashPassword } from '../../accounts/passwords/password.ts';
import type { App } from '../../apps/app.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import { conflict, NotFound } from '../../core/errors.ts';
import { newHexKey } from '../../core/identifier.ts';
import { normalizeName } from '../../core/name-text.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { EventCause } from '../../events/events.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import { accessOfNewPage, requireAllowedAccess } from '../../owners/policies/enforce-policies.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import { type DistributionPage, initialPageSettings } from '../distribution-page.ts';
import { distributionQueries } from '../distribution-queries.ts';
import { loadPagesJson } from '../load-shown-pages.ts';
import {
  describeChanges,
  isRevision,
  noteDigest,
  type PageChanges,
  type ReadSettings,
  readNameAndNote,
  readSettings,
  SettingsRefused,
} from './page-settings.ts';
import { pageSettingsQueries } from './page-settings-queries.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

/** The actor, page and app of a change. The page may have been changed or deleted since it was read. */
export interface PageChange {
  by: Actor;
  app: App;
  page: DistributionPage;
}

export interface NewPage {
  name: string;
  revision: number;
  note: string;
}

export interface PageSettings {
  /** Throws `SettingsRefused` with all errors, and `not_found` if the page was deleted in the meantime. */
  change(change: PageChange, changes: PageChanges): Promise<void>;
  /**
   * Serves an earlier build again, with the note that it had. Throws `not_found` if the page never served it or it was deleted,
   * and `conflict` for the live build.
   */
  rollBack(change: PageChange, revision: number): Promise<void>;
  /** Withdraws or restores a build. Throws `conflict` for the live build. */
  setWithdrawn(change: PageChange, revision: number, withdrawn: boolean): Promise<void>;
  /** Returns the new key. The old link stops working. */
  rotateLink(change: PageChange): Promise<string>;
  /** Throws `SettingsRefused` unless `confirmation` is the name of the page. */
  remove(change: PageChange, confirmation: string): Promise<void>;
  /** Throws `SettingsRefused`. */
  make(by: Actor, app: App, submitted: NewPage): Promise<DistributionPage>;
}

const t = pageSettingsTexts.errors;
const missing = () => new NotFound(pageSettingsTexts.errors.gone);

export function createPageSettings(deps: {
  data: Data;
  now: () => number;
  config: { publicUrl: string | null };
  /** Called after the commit, when the outbox may contain events. */
  wakeOutbox: () => void;
}): PageSettings {
  const { data, now } = deps;
  const woken = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    deps.wakeOutbox();
    return result;
  };
  return {
    change: (change, changes) => woken(applyChanges(data, change, changes, now())),
    rollBack: (change, revision) =>
      woken(
        inPage(data, change, async (tx, page) => {
          const current = await buildQueries(tx).findBuild(page.buildId);
          const build = await findChosen(tx, change.app, revision);
          const update = await distributionQueries(tx).findUpdate(page.id, revision);
          if (!current || !build || !update) throw new NotFound(pageSettingsTexts.errors.buildGone);
          if (build.id === current.id) throw conflict(pageSettingsTexts.errors.alreadyServing);
          await serveBuild(tx, page, build.id, update.releaseNote, now());
          await eventQueries(tx).dispatch(
            change.app.owner.id,
            servedEvent(page.id, current.revision, revision),
            now(),
          );
          const changes = { build: [current.revision, revision] };
          await auditQueries(tx).record(entryOf(change, 'page.changed', now(), { changes }));
        }),
      ),
    setWithdrawn: (change, revision, withdrawn) =>
      woken(
        inPage(data, change, async (tx, page) => {
          const build = await pageSettingsQueries(tx).lockBuild(change.app.id, revision);
          if (!build) throw new NotFound(buildTexts.gone);
          if (withdrawn && page.buildId === build.id) {
            throw conflict(pageSettingsTexts.errors.serving);
          }
          if (!(await pageSettingsQueries(tx).setWithdrawn(page.id, build.id, withdrawn))) return;
          const action = withdrawn ? 'page.build-withdrawn' : 'page.build-offered';
          await auditQueries(tx).record(entryOf(change, action, now(), { revision }));
          if (!withdrawn) return;
          const event = { type: 'page.build_withdrawn', pageId: page.id, buildId: build.id } as const;
          await eventQueries(tx).dispatch(change.app.owner.id, event, now());
        }),
      ),
    rotateLink: (change) =>
      woken(
        inPage(data, change, async (tx, page) => {
          const accessKey = newHexKey();
          await pageSettingsQueries(tx).setAccessKey(page.id, accessKey);
          await auditQueries(tx).record(entryOf(change, 'page.readdressed', now()));
          await eventQueries(tx).dispatch(
            change.app.owner.id,
            { type: 'page.edited', pageId: page.id },
            now(),
          );
          return accessKey;
        }),
      ),
    remove: (change, confirmation) =>
      woken(
        inPage(data, change, async (tx, page) => {
          if (plainLine(confirmation) !== plainLine(page.name)) {
            throw new SettingsRefused({ confirmation: [t.confirmation] });
          }
          const [deleted = {}] = await loadPagesJson(tx, change.app, [page], {
            origin: deps.config.publicUrl ?? '',
            now: now(),
          });
          const kept = { resource: deleted, buildId: page.buildId };
          await eventQueries(tx).keepSubject(change.app.owner.id, page.id, kept);
          await pageSettingsQueries(tx).deletePage(page.id);
          await auditQueries(tx).record(entryOf(change, 'page.deleted', now()));
          const event = { type: 'page.deleted', appId: change.app.id, page: deleted } as const;
          await eventQueries(tx).dispatch(change.app.owner.id, event, now());
        }),
      ),
    make: (by, app, submitted) => woken(make(data, { by, app }, submitted, now())),
  };
}

/** Normalizes text like the value of a one-line input. */
const plainLine = (text: string) => normalizeName(text.replace(/[\r\n]/g, ''));

/** Locks the page row while `work` runs, so that concurrent changes are serialized. */
function inPage<T>(
  data: Data,
  { app, page }: PageChange,
  work: (tx: Connection, page: DistributionPage) => Promise<T>,
): Promise<T> {
  return data.transaction(async (tx) => {
    // Before the page, as a change of the policies locks them.
    await policyQueries(tx).lockOfOwner(app.owner.id);
    const locked = await pageSettingsQueries(tx).lockPage(page.id);
    if (!locked) throw missing();
    return work(tx, locked);
  });
}

export function entryOf(
  { by, app, page }: Omit<PageChange, 'page'> & { page: { id: string; name: string } },
  action: string,
  at: number,
  details: Record<string, unknown> = {},
) {
  return {
    at,
    actor: by,
    action,
    ownerId: app.owner.id,
    subject: `${app.packageName} (${app.platform}) page ${page.name}`,
    details: { page: page.id, ...details },
  };
}

interface CheckedSettings {
  settings: ReadSettings;
  current: { id: string; revision: number };
  build: { id: string; revision: number; message: string };
  isNoteChanged: boolean;
}

/** Validates before hashing the passcode, so that all errors are reported at once, and again when the rows are locked. */
async function applyChanges(
  data: Data,
  change: PageChange,
  changes: PageChanges,
  now: number,
): Promise<void> {
  const { app } = change;
  const { settings } = await checkChanges(data, app, change.page, changes, now);
  const newHash = settings.passcode === null ? null : await hashPassword(settings.passcode);
  const work = () =>
    inPage(data, change, async (tx, page) => {
      const checked = await checkChanges(tx, app, page, changes, now);
      await write(tx, { ...change, page }, checked, newHash, now);
    });
  await data.refuseDuplicate(work, () => new SettingsRefused({ name: [t.nameTaken] }));
}

async function checkChanges(
  connection: Connection,
  app: App,
  page: DistributionPage,
  changes: PageChanges,
  now: number,
): Promise<CheckedSettings> {
  const groups = {
    all: await groupQueries(connection).listGroups(app.owner.id),
    chosen: await groupQueries(connection).groupsOfPage(page.id),
  };
  const { settings, errors } = readSettings(changes, page, groups, now);
  if (settings.access !== page.access) await requireAllowedAccess(connection, app.owner.id, settings.access);
  const taken =
    settings.name !== page.name &&
    (await pageSettingsQueries(connection).hasPageNamed(app.id, settings.name));
  if (taken) errors.name = [...(errors.name ?? []), t.nameTaken];
  const served = await buildQueries(connection).findBuild(page.buildId);
  // Only happens if the page got another build after it was read, and the previous one was then deleted.
  if (!served) throw new SettingsRefused({ revision: [t.buildMissing] });
  const current = { id: served.id, revision: served.revision, message: served.message };
  const present = { revision: current.revision, note: noteDigest(page.releaseNote) };
  const { revision, seen = present } = changes;
  const keeps = [undefined, seen.revision, current.revision].includes(revision);
  const build = keeps ? current : await findChosen(connection, app, revision ?? Number.NaN);
  if (!build) errors.revision = [t.buildMissing];
  const isNoteChanged = changes.note !== undefined && noteDigest(settings.note) !== seen.note;
  // A note written for one build must not be added to another one that an upload has published in the meantime.
  const moved = keeps && isNoteChanged && seen.revision !== current.revision;
  if (moved)
    errors.release_note = [...(errors.release_note ?? []), t.buildMoved({ revision: current.revision })];
  if (Object.keys(errors).length > 0 || !build) throw new SettingsRefused(errors, moved ? present : null);
  return { settings, current, build, isNoteChanged };
}

async function findChosen(connection: Connection, app: App, revision: number) {
  const build = isRevision(revision) ? await lockPublishable(connection, app.id, revision) : null;
  return build && { id: build.id, message: build.message, revision };
}

/** Locks the build. Every change that makes a page serve another build calls it. Throws `conflict` while the build has no APK. */
export async function lockPublishable(
  connection: Connection,
  appId: string,
  revision: number,
): Promise<{ id: string; message: string } | null> {
  const build = await pageSettingsQueries(connection).lockBuild(appId, revision);
  if (build?.isServable === false) throw conflict(t.notInstallable);
  return build;
}

async function write(
  tx: Connection,
  change: PageChange,
  { settings, current, build, isNoteChanged }: CheckedSettings,
  newHash: string | null,
  now: number,
): Promise<void> {
  const { page } = change;
  const passcodeHash = settings.access === 'passcode' ? (newHash ?? page.passcodeHash) : null;
  const rules = { ...settings, passcodeHash };
  const changesBuild = build.id !== current.id;
  const kept = changesBuild
    ? ((await distributionQueries(tx).findUpdate(page.id, build.revision))?.releaseNote ?? build.message)
    : page.releaseNote;
  const note = isNoteChanged ? settings.note : kept;
  const changes = describeChanges(page, { ...rules, releaseNote: note }, current.revision, build.revision);
  const groupsBefore = await groupQueries(tx).groupsOfPage(page.id);
  const [oldGroups, newGroups] = [groupsBefore, settings.groups].map((groups) =>
    groups.map(({ name }) => name),
  );
  if (JSON.stringify(oldGroups) !== JSON.stringify(newGroups)) changes.groups = [oldGroups, newGroups];
  if (Object.keys(changes).length === 0) return;
  await pageSettingsQueries(tx).saveRules(page.id, rules);
  await groupQueries(tx).setGroupsOfPage(
    page.id,
    settings.groups.map(({ id }) => id),
  );
  const events: EventCause[] = [];
  if (changesBuild) {
    await serveBuild(tx, page, build.id, note, now);
    events.push(servedEvent(page.id, current.revision, build.revision));
  } else if (note !== page.releaseNote) {
    await pageSettingsQueries(tx).saveNote(page, note);
    events.push({ type: 'page.note_changed', pageId: page.id });
  }
  if (Object.keys(changes).some((field) => field !== 'build' && field !== 'releaseNote'))
    events.push({ type: 'page.edited', pageId: page.id });
  await eventQueries(tx).dispatchAll(change.app.owner.id, events, now);
  await auditQueries(tx).record(entryOf(change, 'page.changed', now, { changes }));
}

/**
 * Records that the page was created with the build of that revision. `before` and `after`: events at the same time. Only events
 * that are dispatched together keep their order.
 */
export async function recordNewPage(
  tx: Connection,
  change: PageChange,
  { revision, before = [], after = [] }: { revision: number; before?: EventCause[]; after?: EventCause[] },
  now: number,
): Promise<void> {
  const created = { type: 'page.created', pageId: change.page.id } as const;
  await eventQueries(tx).dispatchAll(change.app.owner.id, [...before, created, ...after], now);
  await auditQueries(tx).record(entryOf(change, 'page.created', now, { build: revision }));
}

/** Serves another build, whether or not it is withdrawn. */
async function serveBuild(
  tx: Connection,
  page: DistributionPage,
  buildId: string,
  releaseNote: string,
  now: number,
): Promise<void> {
  await distributionQueries(tx).updatePage(page.id, { buildId, releaseNote, now });
  await pageSettingsQueries(tx).setWithdrawn(page.id, buildId, false);
}

/** `before`: the revision that the page served; null if the page is new. */
export function servedEvent(pageId: string, before: number | null, revision: number): EventCause {
  return { type: before !== null && revision < before ? 'page.rolled_back' : 'page.published', pageId };
}

async function make(
  data: Data,
  { by, app }: Omit<PageChange, 'page'>,
  submitted: NewPage,
  now: number,
): Promise<DistributionPage> {
  const { name, note, errors } = readNameAndNote(submitted);
  const taken = () => new SettingsRefused({ name: [t.nameTaken] });
  if (name !== '' && (await pageSettingsQueries(data).hasPageNamed(app.id, name)))
    errors.name = [...(errors.name ?? []), t.nameTaken];
  const work = () =>
    data.transaction(async (tx) => {
      const build = await findChosen(tx, app, submitted.revision);
      const refused = build ? errors : { ...errors, revision: [t.buildMissing] };
      if (!build || Object.keys(refused).length > 0) throw new SettingsRefused(refused);
      const page = await distributionQueries(tx).insertPage({
        appId: app.id,
        name,
        accessKey: newHexKey(),
        access: await accessOfNewPage(tx, app.owner.id, initialPageSettings.access),
        buildId: build.id,
        releaseNote: note.trim() === '' ? build.message : note,
        now,
      });
      await recordNewPage(tx, { by, app, page }, { revision: build.revision }, now);
      return page;
    });
  return data.refuseDuplicate(work, taken);
}
