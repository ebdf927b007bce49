/** Previews a rule with the same selection that the background job uses. */
import type { Data } from '../../db/data.ts';
import type { RetentionScope } from '../../jobs/outbox.ts';
import {
  effectiveRule,
  keepsEverything,
  type RetentionPlace,
  type RetentionRule,
  withRule,
} from '../../owners/retention/retention.ts';
import type { AppWithRetention } from '../../owners/retention/retention-queries.ts';
import { retentionQueries } from '../../owners/retention/retention-queries.ts';
import type { RetentionCandidate } from './retention.ts';
import { selectExpiredBuilds } from './select-expired-builds.ts';

/** Batch size of reads, which limits memory. */
const buildBatchSize = 500;
const appBatchSize = 200;

export interface Removal {
  builds: number;
  bytes: number;
}

export interface AppPreview extends Removal {
  /** Builds of the requested slice, oldest first. */
  shown: RetentionCandidate[];
}

export interface PreviewLine extends Removal {
  app: AppWithRetention;
  /** Number of apps that lose builds: more than one only if the line is about a Project. */
  apps: number;
}

export interface ScopePreview extends Removal {
  apps: number;
  /** Lines of the requested slice. */
  lines: PreviewLine[];
  lineCount: number;
}

export interface Slice {
  skip: number;
  limit: number;
}

/** Yields all builds that will be deleted, in batches, oldest first. */
export async function* previewRemovals(
  data: Data,
  appId: string,
  rule: RetentionRule,
  now: number,
): AsyncGenerator<RetentionCandidate[]> {
  if (keepsEverything(rule)) return;
  for (let after: number | null = 0; after !== null; ) {
    const selected = await selectExpiredBuilds(data, { appId, rule, after, limit: buildBatchSize, now });
    if (selected.expired.length > 0) yield selected.expired;
    after = selected.next;
  }
}

export async function previewApp(
  data: Data,
  appId: string,
  rule: RetentionRule,
  now: number,
  { skip, limit }: Slice,
): Promise<AppPreview> {
  const preview: AppPreview = { builds: 0, bytes: 0, shown: [] };
  for await (const builds of previewRemovals(data, appId, rule, now)) {
    const from = Math.max(skip - preview.builds, 0);
    preview.shown.push(...builds.slice(from, from + limit - preview.shown.length));
    preview.builds += builds.length;
    for (const { bytes } of builds) preview.bytes += bytes;
  }
  return preview;
}

/** Yields every app of the scope, by ID. */
export async function* appsOf(data: Data, scope: RetentionScope): AsyncGenerator<AppWithRetention> {
  for (let after: string | null = ''; after !== null; ) {
    const apps: AppWithRetention[] = await retentionQueries(data).listApps(scope, after, appBatchSize);
    yield* apps;
    after = apps.length < appBatchSize ? null : (apps.at(-1)?.id ?? null);
  }
}

/** Previews the rule for the scope: by app for an owner, by Project for a Workspace. */
export async function previewScope(
  data: Data,
  scope: { kind: Exclude<RetentionPlace, 'app'>; id: string },
  rule: RetentionRule | null,
  now: number,
  { skip, limit }: Slice,
): Promise<ScopePreview> {
  const total: ScopePreview = { builds: 0, bytes: 0, apps: 0, lines: [], lineCount: 0 };
  const lineOf = createLines(total, scope.kind, { skip, limit });
  for await (const app of appsOf(data, scope)) {
    if (!reaches(scope.kind, app)) continue;
    const { rule: effective } = effectiveRule(withRule(app.rules, scope.kind, rule));
    const { builds, bytes } = await previewApp(data, app.id, effective, now, { skip: 0, limit: 0 });
    if (builds === 0) continue;
    for (const sum of [total, lineOf(app)]) {
      sum.builds += builds;
      sum.bytes += bytes;
      sum.apps += 1;
    }
  }
  return total;
}

/** Whether no more specific rule overrides that of the scope. */
function reaches(place: RetentionPlace, { rules }: AppWithRetention): boolean {
  return rules.app === null && (place === 'owner' || rules.owner === null);
}

/** Keeps only lines of the slice. */
function createLines(total: ScopePreview, kind: RetentionPlace, { skip, limit }: Slice) {
  const places = new Map<string, PreviewLine>();
  return (app: AppWithRetention): PreviewLine => {
    const known = kind === 'workspace' ? places.get(app.owner.id) : undefined;
    if (known) return known;
    const line = { app, apps: 0, builds: 0, bytes: 0 };
    if (kind === 'workspace') places.set(app.owner.id, line);
    if (total.lineCount >= skip && total.lines.length < limit) total.lines.push(line);
    total.lineCount += 1;
    return line;
  };
}
