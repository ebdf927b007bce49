/** Changes to distribution pages: each action is one transaction with an audit log entry. */
import { hashPassword } from '../../accounts/passwords/password.ts';
import type { App } from '../../apps/app.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { conflict, NotFound } from '../../core/errors.ts';
import { newHexKey } from '../../core/identifier.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { PageRules } from '../distribution-page.ts';
import { type DistributionPage, normalizeDistributionName } from '../distribution-page.ts';
import { distributionQueries } from '../distribution-queries.ts';
import {
  noteDigest,
  type ReadSettings,
  readName,
  readNote,
  readRevision,
  readSettings,
  type SettingsErrors,
  SettingsRefused,
  type SettingsValues,
} from './page-settings.ts';
import { pageSettingsQueries } from './page-settings-queries.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

/** The actor, page and app of a change. The page may have changed or been deleted since it was read. */
export interface PageChange {
  by: Actor;
  app: App;
  page: DistributionPage;
}

export interface NewPage {
  name: string;
  revision: string;
  note: string;
}

export interface PageSettings {
  /** Throws `SettingsRefused` with every error, and `not_found` if the page was deleted meanwhile. */
  save(change: PageChange, typed: SettingsValues): Promise<void>;
  /** Withdraws or restores a build. Throws `conflict` for the live build. */
  setWithdrawn(change: PageChange, revision: number, withdrawn: boolean): Promise<void>;
  /** Returns the new key. The old link stops working. */
  rotateLink(change: PageChange): Promise<string>;
  /** Throws `SettingsRefused` unless `confirmation` is the name of the page. */
  remove(change: PageChange, confirmation: string): Promise<void>;
  /** Throws `SettingsRefused`. */
  make(by: Actor, app: App, typed: NewPage): Promise<DistributionPage>;
}

const words = pageSettingsTexts.faults;
const missing = () => new NotFound('the page no longer exists');

export function createPageSettings(parts: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox may contain events. */
  wakeOutbox: () => void;
}): PageSettings {
  const { data, now } = parts;
  return {
    save: async (change, typed) => {
      await save(data, change, typed, now());
      parts.wakeOutbox();
    },
    setWithdrawn: (change, revision, withdrawn) =>
      inPage(data, change, async (inside, page) => {
        const build = await pageSettingsQueries(inside).lockBuild(change.app.id, revision);
        if (!build) throw new NotFound('the build no longer exists');
        if (withdrawn && page.buildId === build.id) {
          throw conflict('the page is serving this build: publish another build first');
        }
        if (!(await pageSettingsQueries(inside).setWithdrawn(page.id, build.id, withdrawn))) return;
        const action = withdrawn ? 'page.build-withdrawn' : 'page.build-offered';
        await auditQueries(inside).record(entryOf(change, action, now(), { revision }));
      }),
    rotateLink: (change) =>
      inPage(data, change, async (inside, page) => {
        const accessKey = newHexKey();
        await pageSettingsQueries(inside).setAccessKey(page.id, accessKey);
        await auditQueries(inside).record(entryOf(change, 'page.readdressed', now()));
        return accessKey;
      }),
    remove: (change, confirmation) =>
      inPage(data, change, async (inside, page) => {
        if (plainLine(confirmation) !== plainLine(page.name)) {
          throw new SettingsRefused({ confirmation: [words.confirmation] });
        }
        await pageSettingsQueries(inside).deletePage(page.id);
        await auditQueries(inside).record(entryOf(change, 'page.deleted', now()));
      }),
    make: (by, app, typed) => make(data, { by, app }, typed, now()),
  };
}

/** Normalized like the value of a one-line input. */
const plainLine = (text: string) => normalizeDistributionName(text.replace(/[\r\n]/g, ''));

/** Runs with the page row locked, so that concurrent changes are serialized. */
function inPage<T>(
  data: Data,
  { page }: PageChange,
  work: (inside: Connection, page: DistributionPage) => Promise<T>,
): Promise<T> {
  return data.transaction(async (inside) => {
    const locked = await pageSettingsQueries(inside).lockPage(page.id);
    if (!locked) throw missing();
    return work(inside, locked);
  });
}

function entryOf(
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

interface ExpiredBuilds {
  settings: ReadSettings;
  present: { id: string; revision: number };
  build: { id: string; revision: number; message: string };
  noteTouched: boolean;
}

/** Validates before the passcode is hashed, so that all errors are reported at once, and again with the rows locked. */
async function save(data: Data, change: PageChange, typed: SettingsValues, now: number): Promise<void> {
  const { settings } = await judge(data, change.app, change.page, typed, now);
  const newHash = settings.passcode === null ? null : await hashPassword(settings.passcode);
  const work = () =>
    inPage(data, change, async (inside, page) => {
      const judged = await judge(inside, change.app, page, typed, now);
      await write(inside, { ...change, page }, judged, newHash, now);
    });
  await data.refuseDuplicate(work, () => new SettingsRefused({ name: [words.nameTaken] }));
}

async function judge(
  connection: Connection,
  app: App,
  page: DistributionPage,
  typed: SettingsValues,
  now: number,
): Promise<ExpiredBuilds> {
  const { settings, faults } = readSettings(typed, page, now);
  const taken =
    settings.name !== page.name &&
    (await pageSettingsQueries(connection).hasPageNamed(app.id, settings.name));
  if (taken) faults.name = [...(faults.name ?? []), words.nameTaken];
  const current = await buildQueries(connection).findBuild(page.buildId);
  // Happens only if the page got another build after it was read, and the previous one was deleted since.
  if (!current) throw new SettingsRefused({ build: [words.buildMissing] });
  const present = { id: current.id, revision: current.revision, message: current.message };
  const keeps = typed.revision === typed.seenRevision || typed.revision === String(present.revision);
  const build = keeps ? present : await findChosen(connection, app, typed.revision);
  if (!build) faults.build = [words.buildMissing];
  const noteTouched = noteDigest(settings.note) !== typed.seenNote;
  // A note written for one build must not be attached to another that an upload published meanwhile.
  const moved = keeps && noteTouched && typed.seenRevision !== String(present.revision);
  if (moved) faults.note = [...(faults.note ?? []), words.buildMoved(present.revision)];
  if (Object.keys(faults).length > 0 || !build)
    throw new SettingsRefused(faults, moved ? seenAgain(typed, present, page) : typed);
  return { settings, present, build, noteTouched };
}

function seenAgain(
  typed: SettingsValues,
  present: { revision: number },
  page: DistributionPage,
): SettingsValues {
  const revision = String(present.revision);
  return { ...typed, revision, seenRevision: revision, seenNote: noteDigest(page.releaseNote) };
}

async function findChosen(connection: Connection, app: App, typed: string) {
  const revision = readRevision(typed);
  const build = revision === null ? null : await pageSettingsQueries(connection).lockBuild(app.id, revision);
  return build && revision !== null ? { id: build.id, message: build.message, revision } : null;
}

async function write(
  inside: Connection,
  change: PageChange,
  { settings, present, build, noteTouched }: ExpiredBuilds,
  newHash: string | null,
  now: number,
): Promise<void> {
  const { page } = change;
  const passcodeHash = settings.access === 'passcode' ? (newHash ?? page.passcodeHash) : null;
  const rules = { ...settings, passcodeHash };
  const movesOn = build.id !== present.id;
  const kept = movesOn
    ? ((await distributionQueries(inside).findUpdate(page.id, build.revision))?.releaseNote ?? build.message)
    : page.releaseNote;
  const note = noteTouched ? settings.note : kept;
  const changes = describeChanges(page, { ...rules, releaseNote: note }, present.revision, build.revision);
  if (Object.keys(changes).length === 0) return;
  await pageSettingsQueries(inside).saveRules(page.id, rules);
  if (movesOn) {
    await distributionQueries(inside).updatePage(page.id, { buildId: build.id, releaseNote: note, now });
    await pageSettingsQueries(inside).setWithdrawn(page.id, build.id, false);
  } else if (note !== page.releaseNote) {
    await pageSettingsQueries(inside).saveNote(page, note);
  }
  if (movesOn || note !== page.releaseNote) {
    const { app } = change;
    const news = { event: 'page.changed', pageId: page.id } as const;
    await eventQueries(inside).dispatch({ ownerId: app.owner.id, id: app.id }, news, now);
  }
  await auditQueries(inside).record(entryOf(change, 'page.changed', now, { changes }));
}

async function make(
  data: Data,
  { by, app }: Omit<PageChange, 'page'>,
  typed: NewPage,
  now: number,
): Promise<DistributionPage> {
  const faults: Record<string, string[]> = {};
  const fault = (field: 'name' | 'note') => (sentence: string) => {
    faults[field] = [...(faults[field] ?? []), sentence];
  };
  const name = readName(typed.name, null, fault('name'));
  const note = readNote(typed.note, fault('note'));
  const taken = () => new SettingsRefused({ name: [words.nameTaken] });
  if (name !== '' && (await pageSettingsQueries(data).hasPageNamed(app.id, name)))
    fault('name')(words.nameTaken);
  const work = () =>
    data.transaction(async (inside) => {
      const build = await findChosen(inside, app, typed.revision);
      if (!build) faults.build = [words.buildMissing];
      if (!build || Object.keys(faults).length > 0)
        throw new SettingsRefused(faults satisfies SettingsErrors);
      const page = await pageSettingsQueries(inside).insertPage({
        appId: app.id,
        name,
        accessKey: newHexKey(),
        buildId: build.id,
        releaseNote: note.trim() === '' ? build.message : note,
        now,
      });
      await auditQueries(inside).record(
        entryOf({ by, app, page }, 'page.made', now, { build: build.revision }),
      );
      return page;
    });
  return data.refuseDuplicate(work, taken);
}

/** Describes a settings change for the audit log: old and new values, but never a passcode or its hash. */
interface After extends PageRules {
  name: string;
  releaseNote: string;
  recount: boolean;
}

const plain = ['name', 'active', 'access', 'expiresAt', 'maxInstalls', 'networks'] as const;

/** By field. Empty if nothing changed. */
export function describeChanges(
  before: DistributionPage,
  after: After,
  oldRevision: number,
  newRevision: number,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const field of plain) {
    const [old, now] = [before[field], after[field]];
    if (JSON.stringify(old) !== JSON.stringify(now)) changes[field] = [old, now];
  }
  const passcode = passcodeChange(before.passcodeHash, after.passcodeHash);
  if (passcode) changes.passcode = passcode;
  if (oldRevision !== newRevision) changes.build = [oldRevision, newRevision];
  // Notes are long, and the publish history contains them.
  if (before.releaseNote !== after.releaseNote) changes.releaseNote = 'changed';
  if (after.recount && before.installs > 0) changes.installs = [before.installs, 0];
  return changes;
}

function passcodeChange(before: string | null, after: string | null): 'set' | 'changed' | 'removed' | null {
  if (before === after) return null;
  if (before === null) return 'set';
  return after === null ? 'removed' : 'changed';
}
