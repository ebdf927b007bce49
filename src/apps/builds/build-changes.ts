/** Changes to the message, label and protection of builds. */

import { createHash } from 'node:crypto';
import { invalidField, NotFound } from '../../core/errors.ts';
import { isVisibleName, normalizeName } from '../../core/name-text.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { excerpt, formatCount } from '../../web/components/formats.ts';
import type { App, Build } from '../app.ts';
import { requireSelection } from '../deletion/build-deletion.ts';
import { buildEntry } from './build-audit.ts';
import { buildQueries } from './build-queries.ts';
import { buildTexts } from './build-texts.ts';

/** UTF-8 bytes. The message of an upload is truncated to the same limit. */
export const maxMessageBytes = 32_766;
/** In characters, the same as for the label of an upload. */
export const maxLabelLength = 255;
const maxAuditExcerpt = 200;

export interface BuildChange {
  by: Actor;
  app: App;
  build: Build;
}

export interface BuildEdits {
  message?: string | undefined;
  label?: string | undefined;
  protected?: boolean | undefined;
}

export interface BuildChanges {
  /**
   * Makes all changes or none. `seenMessage`: digest of the message that the form was rendered with; without it, the last change
   * wins. Throws `invalid`, and `not_found` if the build was deleted in the meantime.
   */
  edit(change: BuildChange, edits: BuildEdits, seenMessage?: string): Promise<void>;
  /** Protects all of them that still exist. Returns their revisions. */
  protectAll(by: Actor, app: App, revisions: readonly number[]): Promise<number[]>;
  /** Replaces the label of the builds. Throws `invalid` for an empty label. Returns their revisions. */
  setLabel(by: Actor, app: App, revisions: readonly number[], label: string): Promise<number[]>;
}

const t = buildTexts.message;
const refused = (message: string) => invalidField('message', message);
const refusedLabel = (message: string) => invalidField('label', message);
const missing = () => new NotFound(buildTexts.gone);

export function createBuildChanges(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox may contain events. */
  wakeOutbox: () => void;
}): BuildChanges {
  const { data, now } = deps;
  const change = async <T>(work: (tx: Connection) => Promise<T>): Promise<T> => {
    const result = await data.transaction(work);
    deps.wakeOutbox();
    return result;
  };
  const record = async (tx: Connection, { by, app, build }: BuildChange, entries: readonly Entry[]) => {
    if (entries.length === 0) return;
    const at = now();
    for (const [action, details] of entries)
      await auditQueries(tx).record(buildEntry(action, by, app, build, at, details));
    await eventQueries(tx).dispatch(app.owner.id, { type: 'build.edited', buildId: build.id }, at);
  };
  return {
    edit: async (subject, edits, seenMessage) => {
      const message = edits.message === undefined ? null : readMessage(edits.message);
      const label = edits.label === undefined ? null : readLabel(edits.label);
      await change(async (tx) => {
        const build = await buildQueries(tx).findBuild(subject.build.id);
        if (!build) throw missing();
        const entries: Entry[] = [];
        if (message !== null) entries.push(...(await changeMessage(tx, build, message, seenMessage)));
        if (label !== null) entries.push(...present(await changeLabel(tx, build, label)));
        if (edits.protected !== undefined)
          entries.push(...present(await setProtected(tx, build, edits.protected)));
        await record(tx, { ...subject, build }, entries);
      });
    },
    protectAll: async (by, app, revisions) => {
      requireSelection(revisions);
      return change(async (tx) => {
        const builds = await buildQueries(tx).listByRevisions(app.id, revisions);
        for (const build of builds) {
          await record(tx, { by, app, build }, (await setProtected(tx, build, true)) ?? []);
        }
        return builds.map(({ revision }) => revision);
      });
    },
    setLabel: async (by, app, revisions, submitted) => {
      requireSelection(revisions);
      const label = readLabel(submitted);
      return change(async (tx) => {
        const builds = await buildQueries(tx).listByRevisions(app.id, revisions);
        for (const build of builds) {
          await record(tx, { by, app, build }, (await changeLabel(tx, build, label)) ?? []);
        }
        return builds.map(({ revision }) => revision);
      });
    },
  };
}

/** Throws `not_found` if the build was deleted in the meantime. */
function present(entries: Entry[] | null): Entry[] {
  if (!entries) throw missing();
  return entries;
}

/** Action and details of an entry in the audit log. */
type Entry = [action: string, details?: Record<string, unknown>];

/** Throws `invalid`, and `not_found` if the build was deleted in the meantime. */
async function changeMessage(
  tx: Connection,
  build: Build,
  message: string,
  seen: string | undefined,
): Promise<Entry[]> {
  if (seen !== undefined && messageDigest(build.message) !== seen) throw refused(t.changedMeanwhile);
  if (message === plainLines(build.message)) return [];
  const expected = seen === undefined ? null : build.message;
  if (!(await buildQueries(tx).changeMessage(build.id, expected, message)))
    throw (await buildQueries(tx).findBuild(build.id)) ? refused(t.changedMeanwhile) : missing();
  const [from, to] = [build.message, message].map((text) => excerpt(text, maxAuditExcerpt));
  return [['build.message-changed', { from, to }]];
}

/** Returns null if the build was deleted in the meantime. */
async function changeLabel(tx: Connection, build: Build, label: string): Promise<Entry[] | null> {
  if (build.label === label) return [];
  if (!(await buildQueries(tx).changeLabel(build.id, label))) return null;
  return [['build.label-changed', { from: build.label, to: label }]];
}

/** Returns null if the build was deleted in the meantime. */
async function setProtected(tx: Connection, build: Build, isProtected: boolean): Promise<Entry[] | null> {
  if (!(await buildQueries(tx).setProtected(build.id, isProtected)))
    return (await buildQueries(tx).findBuild(build.id)) ? [] : null;
  return [[isProtected ? 'build.protected' : 'build.unprotected']];
}

/** Throws `invalid`. */
function readMessage(submitted: string): string {
  const message = plainLines(submitted);
  const bytes = Buffer.byteLength(message);
  if (bytes > maxMessageBytes)
    throw refused(t.tooLong({ limit: formatCount(maxMessageBytes), has: formatCount(bytes) }));
  return message;
}

/** Throws `invalid`. */
function readLabel(submitted: string): string {
  const label = normalizeName(submitted);
  if (label === '') throw refusedLabel(buildTexts.list.labelMissing);
  if (label.length > maxLabelLength)
    throw refusedLabel(buildTexts.list.labelTooLong({ limit: formatCount(maxLabelLength) }));
  if (!isVisibleName(label)) throw refusedLabel(buildTexts.list.labelHidden);
  return label;
}

/** Browsers submit CRLF line endings. */
const plainLines = (text: string) => text.replaceAll('\r\n', '\n');

/** Digest in forms to detect concurrent changes of the message. */
export function messageDigest(message: string): string {
  return createHash('sha256').update(message).digest('base64url').slice(0, 22);
}
