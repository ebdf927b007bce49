/** Changes to the message and protection of a build. */
import { createHash } from 'node:crypto';
import { FormInvalid, invalid, NotFound } from '../../core/errors.ts';
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
/** Characters, as for the label of an upload. */
export const maxLabelLength = 255;
const maxAuditExcerpt = 200;

export interface BuildChange {
  by: Actor;
  app: App;
  build: Build;
}

export interface BuildChanges {
  setProtected(change: BuildChange, isProtected: boolean): Promise<void>;
  /** Protects every build that still exists. Returns their revisions. */
  protectAll(by: Actor, app: App, revisions: readonly number[]): Promise<number[]>;
  /** Replaces the label of the builds; an empty label is refused. Throws `FormInvalid`. Returns their revisions. */
  setLabel(by: Actor, app: App, revisions: readonly number[], label: string): Promise<number[]>;
  /** `seen`: digest of the message that the form was rendered with. Throws `FormInvalid`. */
  saveMessage(change: BuildChange, submitted: string, seen: string): Promise<void>;
}

const t = buildTexts.message;
const refused = (message: string) => new FormInvalid({ message: [message] });
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
  const record = async (
    tx: Connection,
    action: string,
    { by, app, build }: BuildChange,
    details?: Record<string, unknown>,
  ) => {
    const at = now();
    await auditQueries(tx).record(buildEntry(action, by, app, build, at, details));
    await eventQueries(tx).dispatch({ type: 'build.edited', buildId: build.id }, at);
  };
  return {
    setProtected: ({ by, app, build }, isProtected) =>
      change(async (tx) => {
        if (!(await buildQueries(tx).setProtected(build.id, isProtected))) {
          if (!(await buildQueries(tx).findBuild(build.id))) throw missing();
          return;
        }
        const action = isProtected ? 'build.protected' : 'build.unprotected';
        await record(tx, action, { by, app, build });
      }),
    protectAll: async (by, app, revisions) => {
      requireSelection(revisions);
      return change(async (tx) => {
        const builds = await buildQueries(tx).listByRevisions(app.id, revisions);
        for (const build of builds) {
          if (!(await buildQueries(tx).setProtected(build.id, true))) continue;
          await record(tx, 'build.protected', { by, app, build });
        }
        return builds.map(({ revision }) => revision);
      });
    },
    setLabel: async (by, app, revisions, submitted) => {
      requireSelection(revisions);
      const label = submitted.trim();
      if (label === '') throw invalid(buildTexts.list.labelMissing);
      if (label.length > maxLabelLength) {
        throw invalid(buildTexts.list.labelTooLong({ limit: formatCount(maxLabelLength) }));
      }
      return change(async (tx) => {
        const builds = await buildQueries(tx).listByRevisions(app.id, revisions);
        for (const build of builds) {
          if (build.label === label || !(await buildQueries(tx).changeLabel(build.id, label))) continue;
          await record(tx, 'build.label-changed', { by, app, build }, { from: build.label, to: label });
        }
        return builds.map(({ revision }) => revision);
      });
    },
    saveMessage: async ({ by, app, build }, submitted, seen) => {
      const message = plainLines(submitted);
      const bytes = Buffer.byteLength(message);
      if (bytes > maxMessageBytes) {
        throw refused(t.tooLong({ limit: formatCount(maxMessageBytes), has: formatCount(bytes) }));
      }
      if (messageDigest(build.message) !== seen) throw refused(t.changedMeanwhile);
      if (message === plainLines(build.message)) return;
      await change(async (tx) => {
        if (!(await buildQueries(tx).changeMessage(build.id, build.message, message))) {
          if (!(await buildQueries(tx).findBuild(build.id))) throw missing();
          throw refused(t.changedMeanwhile);
        }
        const changed = {
          from: excerpt(build.message, maxAuditExcerpt),
          to: excerpt(message, maxAuditExcerpt),
        };
        await record(tx, 'build.message-changed', { by, app, build }, changed);
      });
    },
  };
}

/** Browsers submit CRLF line endings. */
const plainLines = (text: string) => text.replaceAll('\r\n', '\n');

/** Digest in forms to detect concurrent changes of the message. */
export function messageDigest(message: string): string {
  return createHash('sha256').update(message).digest('base64url').slice(0, 22);
}
