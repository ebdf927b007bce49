/** `slipway retention`. */

import { retainApp } from '../apps/retention/retain-builds.ts';
import { formatRanges, type RetentionCandidate } from '../apps/retention/retention.ts';
import { appsOf, previewRemovals } from '../apps/retention/retention-preview.ts';
import { formatBytes } from '../core/byte-size.ts';
import type { Data } from '../db/data.ts';
import { effectiveRule } from '../owners/retention/retention.ts';
import type { AppWithRetention } from '../owners/retention/retention-queries.ts';
import { retentionTexts } from '../owners/retention/retention-texts.ts';
import { type CommandIo, print } from './command-io.ts';
import { writeLines } from './terminal-text.ts';
import { withData } from './with-data.ts';

const rangesOnLine = 20;

/** Prints one line per App that loses builds, and a total unless the output is JSON. */
export async function runRetention(
  io: CommandIo,
  options: { dryRun?: boolean; json?: boolean },
): Promise<void> {
  const dryRun = options.dryRun ?? false;
  const json = options.json ?? false;
  await withData(io, async ({ data, now }) => {
    const total = { builds: 0, bytes: 0 };
    for await (const app of appsOf(data, { kind: 'everything' })) {
      const removed = dryRun ? previewDeletions(data, app, now()) : retainApp(data, app.id, now);
      const deleted = await collect(removed);
      if (deleted.revisions.length === 0) continue;
      total.builds += deleted.revisions.length;
      total.bytes += deleted.bytes;
      print(io, json, factsOf(app, deleted), sentenceOf(app, deleted));
    }
    const sum = retentionTexts.total({ count: total.builds, size: formatBytes(total.bytes) });
    const words = dryRun ? `Would delete ${sum}. Nothing was deleted.` : `Deleted ${sum}.`;
    if (!json) writeLines(io.stdout, words);
  });
}

function previewDeletions(
  data: Data,
  app: AppWithRetention,
  now: number,
): AsyncIterable<RetentionCandidate[]> {
  return previewRemovals(data, app.id, effectiveRule(app.rules).rule, now);
}

interface DeletedBuilds {
  revisions: number[];
  bytes: number;
}

async function collect(batches: AsyncIterable<readonly RetentionCandidate[]>): Promise<DeletedBuilds> {
  const deleted: DeletedBuilds = { revisions: [], bytes: 0 };
  for await (const builds of batches) {
    for (const { revision, bytes } of builds) {
      deleted.revisions.push(revision);
      deleted.bytes += bytes;
    }
  }
  return deleted;
}

function factsOf(app: AppWithRetention, { revisions, bytes }: DeletedBuilds) {
  const { rule, from } = effectiveRule(app.rules);
  return {
    owner: app.owner.name,
    platform: app.platform,
    package_name: app.packageName,
    rule: { newest: rule.newest, days: rule.days, from },
    builds: revisions.length,
    bytes,
    revisions,
  };
}

function sentenceOf(app: AppWithRetention, { revisions, bytes }: DeletedBuilds): string {
  const which = `${app.owner.name}: ${app.packageName} (${app.platform})`;
  const sum = retentionTexts.total({ count: revisions.length, size: formatBytes(bytes) });
  return `${which}: ${sum}: ${formatRanges(revisions, rangesOnLine)}`;
}
