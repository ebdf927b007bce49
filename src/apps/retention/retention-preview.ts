/** What a rule would remove, before it is saved: the very judgement by which the background removes. */
import type { Data } from '../../db/data.ts';
import type { RetentionScope } from '../../jobs/outbox.ts';
import {
  effectiveRule,
  keepsEverything,
  type RetentionPlace,
  type RetentionRule,
  withRule,
} from '../../owners/retention.ts';
import type { AppWithRetention } from '../../owners/retention-queries.ts';
import { retentionQueries } from '../../owners/retention-queries.ts';
import type { AgedBuild } from './retention.ts';
import { selectExpiredBuilds } from './select-expired-builds.ts';

/** So many builds, or Apps, are read at once: memory stays flat however many there are. */
const buildsAtOnce = 500;
const appsAtOnce = 200;

export interface Removal {
  builds: number;
  bytes: number;
}

export interface AppPreview extends Removal {
  /** Those of the slice that was asked for, oldest first. */
  shown: AgedBuild[];
}

export interface PreviewLine extends Removal {
  app: AppWithRetention;
  /** Apps that lose builds: more than one where a line stands for a whole Project. */
  apps: number;
}

export interface ScopePreview extends Removal {
  apps: number;
  /** Those of the slice that was asked for. */
  lines: PreviewLine[];
  lineCount: number;
}

export interface Slice {
  skip: number;
  most: number;
}

/** Everything that would go, piece by piece, oldest first. */
export async function* wouldGo(
  data: Data,
  appId: string,
  rule: RetentionRule,
  now: number,
): AsyncGenerator<AgedBuild[]> {
  if (keepsEverything(rule)) return;
  for (let after: number | null = 0; after !== null; ) {
    const judged = await selectExpiredBuilds(data, { appId, rule, after, most: buildsAtOnce, now });
    if (judged.expired.length > 0) yield judged.expired;
    after = judged.next;
  }
}

export async function previewApp(
  data: Data,
  appId: string,
  rule: RetentionRule,
  now: number,
  { skip, most }: Slice,
): Promise<AppPreview> {
  const preview: AppPreview = { builds: 0, bytes: 0, shown: [] };
  for await (const builds of wouldGo(data, appId, rule, now)) {
    const from = Math.max(skip - preview.builds, 0);
    preview.shown.push(...builds.slice(from, from + most - preview.shown.length));
    preview.builds += builds.length;
    for (const { bytes } of builds) preview.bytes += bytes;
  }
  return preview;
}

/** Every App of the scope, in the order of their ids. */
export async function* appsOf(data: Data, scope: RetentionScope): AsyncGenerator<AppWithRetention> {
  for (let after: string | null = ''; after !== null; ) {
    const apps: AppWithRetention[] = await retentionQueries(data).listApps(scope, after, appsAtOnce);
    yield* apps;
    after = apps.length < appsAtOnce ? null : (apps.at(-1)?.id ?? null);
  }
}

/** What would go if the rule stood there, App by App for an Owner, Project by Project for a Workspace. */
export async function previewScope(
  data: Data,
  scope: { kind: Exclude<RetentionPlace, 'app'>; id: string },
  rule: RetentionRule | null,
  now: number,
  { skip, most }: Slice,
): Promise<ScopePreview> {
  const total: ScopePreview = { builds: 0, bytes: 0, apps: 0, lines: [], lineCount: 0 };
  const lineOf = createLines(total, scope.kind, { skip, most });
  for await (const app of appsOf(data, scope)) {
    if (!reaches(scope.kind, app)) continue;
    const { rule: effective } = effectiveRule(withRule(app.rules, scope.kind, rule));
    const { builds, bytes } = await previewApp(data, app.id, effective, now, { skip: 0, most: 0 });
    if (builds === 0) continue;
    for (const sum of [total, lineOf(app)]) {
      sum.builds += builds;
      sum.bytes += bytes;
      sum.apps += 1;
    }
  }
  return total;
}

/** No nearer rule stands before the one of that place. */
function reaches(place: RetentionPlace, { rules }: AppWithRetention): boolean {
  return rules.app === null && (place === 'owner' || rules.owner === null);
}

/** Only lines of the slice are kept. */
function createLines(total: ScopePreview, kind: RetentionPlace, { skip, most }: Slice) {
  const places = new Map<string, PreviewLine>();
  return (app: AppWithRetention): PreviewLine => {
    const known = kind === 'workspace' ? places.get(app.owner.id) : undefined;
    if (known) return known;
    const line = { app, apps: 0, builds: 0, bytes: 0 };
    if (kind === 'workspace') places.set(app.owner.id, line);
    if (total.lineCount >= skip && total.lines.length < most) total.lines.push(line);
    total.lineCount += 1;
    return line;
  };
}
