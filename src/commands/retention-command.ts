/** `slipway retention`. */
import { retainApp } from '../apps/retention/retain-builds.ts';
import { type AgedBuild, rangesOf } from '../apps/retention/retention.ts';
import { appsOf, wouldGo } from '../apps/retention/retention-preview.ts';
import { formatBytes } from '../core/byte-size.ts';
import type { Data } from '../db/data.ts';
import { effectiveRule } from '../owners/retention.ts';
import type { RuledApp } from '../owners/retention-queries.ts';
import { retentionTexts } from '../owners/retention-texts.ts';
import { type CommandIo, print } from './command-io.ts';
import { withData } from './with-data.ts';

const rangesOnLine = 20;

/** One line for each App that loses builds; for people a last one with the sum. */
export async function runRetention(
  io: CommandIo,
  options: { dryRun?: boolean; json?: boolean },
): Promise<void> {
  const dryRun = options.dryRun ?? false;
  const json = options.json ?? false;
  await withData(io, async ({ data }) => {
    const now = Date.now();
    const total = { builds: 0, bytes: 0 };
    for await (const app of appsOf(data, { kind: 'everything' })) {
      const removed = dryRun ? expiredOf(data, app, now) : retainApp(data, app.id, () => Date.now());
      const lost = await collect(removed);
      if (lost.revisions.length === 0) continue;
      total.builds += lost.revisions.length;
      total.bytes += lost.bytes;
      print(io, json, factsOf(app, lost), sentenceOf(app, lost));
    }
    const sum = retentionTexts.total(total.builds, formatBytes(total.bytes));
    const words = dryRun ? `Would remove ${sum}. Nothing was removed.` : `Removed ${sum}.`;
    if (!json) io.stdout.write(`${words}\n`);
  });
}

function expiredOf(data: Data, app: RuledApp, now: number): AsyncIterable<AgedBuild[]> {
  return wouldGo(data, app.id, effectiveRule(app.rules).rule, now);
}

interface Lost {
  revisions: number[];
  bytes: number;
}

async function collect(pieces: AsyncIterable<readonly AgedBuild[]>): Promise<Lost> {
  const lost: Lost = { revisions: [], bytes: 0 };
  for await (const builds of pieces) {
    for (const { revision, bytes } of builds) {
      lost.revisions.push(revision);
      lost.bytes += bytes;
    }
  }
  return lost;
}

function factsOf(app: RuledApp, { revisions, bytes }: Lost) {
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

function sentenceOf(app: RuledApp, { revisions, bytes }: Lost): string {
  const which = `${app.owner.name}: ${app.packageName} (${app.platform})`;
  const sum = retentionTexts.total(revisions.length, formatBytes(bytes));
  return `${which}: ${sum}: ${rangesOf(revisions, rangesOnLine)}`;
}
