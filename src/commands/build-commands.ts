/** `slipway build list`, `delete` and `restore`, and `slipway app rotate-secret`: actions of the pages, on the command line. */

import type { App, Build } from '../apps/app.ts';
import { appQueries } from '../apps/app-queries.ts';
import { buildFieldsBy } from '../apps/build-fields.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import {
  createBuildDeletion,
  type Deletion,
  maxBuildsPerRequest,
  undoMs,
} from '../apps/deletion/build-deletion.ts';
import { buildDeletionQueries } from '../apps/deletion/build-deletion-queries.ts';
import type { BlockingPage } from '../apps/deletion/deletion.ts';
import { formatRanges } from '../apps/retention/retention.ts';
import { createRotateSecret } from '../apps/settings/app-secret.ts';
import { formatBytes } from '../core/byte-size.ts';
import { conflict, invalid, NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { formatTimestamp } from '../web/components/formats.ts';
import { type CommandIo, print } from './command-io.ts';
import { printable } from './terminal-text.ts';
import { UsageError } from './uploader/upload-error.ts';
import { withData } from './with-data.ts';

/** Identifies an App; `platform` is required if the Owner has the package on both platforms. */
interface AppSelector {
  owner: string;
  packageName: string;
  platform?: App['platform'];
}

const buildBatchSize = 100;
const rangesOnLine = 20;

export async function runBuildList(
  io: CommandIo,
  selector: AppSelector,
  options: { deleted?: boolean; limit: number; json?: boolean },
): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const app = await findApp(data, selector);
    const show = (build: Build, more: { pages: BlockingPage[]; deletedAt?: number; deletedBy?: string }) =>
      print(io, options.json ?? false, factsOf(build, more), sentenceOf(build, more));
    if (options.deleted) {
      const deleted = await buildDeletionQueries(data).listDeleted(app.id, now() - undoMs, options.limit);
      for (const { build, deletedAt, deletedBy } of deleted) show(build, { pages: [], deletedAt, deletedBy });
      return;
    }
    for await (const builds of newestBuilds(data, app, options.limit)) {
      const pages = await buildDeletionQueries(data).blockingPages(builds.map(({ id }) => id));
      for (const build of builds) show(build, { pages: pages.filter(({ buildId }) => buildId === build.id) });
    }
  });
}

/** Returns whether the builds were deleted. Deletes nothing if one of them must be kept. */
export async function runBuildDelete(
  io: CommandIo,
  selector: AppSelector,
  options: { revisions: readonly number[]; json?: boolean },
): Promise<boolean> {
  return withData(io, async ({ data, now }) => {
    const app = await findApp(data, selector);
    const deletion = await openDeletion(data, now).remove('command-line', app, options.revisions);
    if (deletion.kind === 'refused') {
      if (!options.json) throw conflict(refusalOf(deletion));
      print(io, true, { deleted: [], kept: deletion.kept.map(keptFacts), others: deletion.others }, '');
      return false;
    }
    const words = `Deleted ${named(deletion.revisions)} of ${printable(app.packageName)}. You can restore them for one day with: slipway build restore`;
    print(io, options.json ?? false, { deleted: deletion.revisions, kept: [], others: [] }, words);
    return true;
  });
}

export async function runBuildRestore(
  io: CommandIo,
  selector: AppSelector,
  options: { revisions: readonly number[]; json?: boolean },
): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const app = await findApp(data, selector);
    const restored = await openDeletion(data, now).restore('command-line', app, options.revisions);
    const words = `Restored ${named(restored)} of ${printable(app.packageName)}.`;
    print(io, options.json ?? false, { restored }, words);
  });
}

export async function runRotateSecret(
  io: CommandIo,
  selector: AppSelector,
  options: { json?: boolean },
): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const app = await findApp(data, selector);
    const secret = await createRotateSecret({ data, now })('command-line', app);
    const { owner, platform, packageName } = app;
    const facts = { owner: owner.name, platform, package_name: packageName, secret };
    const words = `Rotated the secret of ${printable(packageName)}. The new one is ${secret}. Links with the old one no longer work.`;
    print(io, options.json ?? false, facts, words);
  });
}

/** Parses `7` and `12-20` to ascending revisions without duplicates, at most `maxBuildsPerRequest`. Throws `UsageError`. */
export function readRevisions(texts: readonly string[]): number[] {
  const revisions = new Set<number>();
  for (const text of texts) {
    const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (!(from >= 1 && to >= from))
      throw new UsageError(`a revision must be a number such as 7 or a range such as 12-20, not ${text}`);
    if (to - from >= maxBuildsPerRequest)
      throw new UsageError(`at most ${maxBuildsPerRequest} builds at a time`);
    for (let revision = from; revision <= to; revision++) revisions.add(revision);
  }
  return [...revisions].sort((one, other) => one - other);
}

const openDeletion = (data: Data, now: () => number) =>
  // A running server finds new jobs by polling.
  createBuildDeletion({ data, now, wakeOutbox: () => undefined });

async function findApp(data: Data, { owner: name, packageName, platform }: AppSelector): Promise<App> {
  const owner = await ownerQueries(data).findOwner(name);
  if (!owner) throw new NotFound(`there is no user or Project ${name}`);
  const apps = (await appQueries(data).findAppsByPackageName(owner.id, packageName)).filter(
    (app) => platform === undefined || app.platform === platform,
  );
  const [app, another] = apps;
  if (!app)
    throw new NotFound(`${owner.name} has no app ${packageName}${platform ? ` for ${platform}` : ''}`);
  if (another) throw invalid(`${owner.name} has ${packageName} on both platforms: add --platform`);
  return app;
}

async function* newestBuilds(data: Data, app: App, limit: number): AsyncGenerator<Build[]> {
  let below: number | undefined;
  for (let left = limit; left > 0; ) {
    const wanted = Math.min(left, buildBatchSize);
    const builds = await buildQueries(data).listBuilds(app.id, {
      limit: wanted,
      ...(below ? { below } : {}),
    });
    yield builds;
    if (builds.length < wanted) return;
    below = builds.at(-1)?.revision;
    left -= builds.length;
  }
}

interface BuildStatus {
  pages: readonly Pick<BlockingPage, 'name'>[];
  deletedAt?: number;
  deletedBy?: string;
}

const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());

function factsOf(build: Build, { pages, deletedAt, deletedBy }: BuildStatus) {
  return {
    revision: build.revision,
    version_name: build.info.versionName,
    version_code: build.info.versionCode,
    message: build.message,
    ...buildFieldsBy('name', (field) => build[field]),
    file_size: build.sizeBytes,
    sha256: build.sha256,
    uploaded_by: build.uploadedBy,
    uploaded_at: time(build.createdAt),
    protected: build.protected,
    pages: pages.map(({ name }) => name),
    deleted_by: deletedBy ?? null,
    deleted_at: time(deletedAt),
    restorable_until: time(deletedAt === undefined ? undefined : deletedAt + undoMs),
  };
}

function sentenceOf(build: Build, { pages, deletedAt, deletedBy }: BuildStatus): string {
  const { info, branch, label } = build;
  const words = [
    `#${build.revision}`,
    `${info.versionName ?? ''} (${info.versionCode})`.trim(),
    formatBytes(build.sizeBytes),
    `${formatTimestamp(build.createdAt)} by ${build.uploadedBy}`,
    ...[branch, label].filter((text) => text !== null),
    ...(build.protected ? ['protected'] : []),
    ...pages.map(({ name }) => `on the page “${name}”`),
    ...(deletedAt === undefined ? [] : [`deleted ${formatTimestamp(deletedAt)} by ${deletedBy}`]),
  ];
  return words.map(printable).join('  ');
}

function named(revisions: readonly number[]): string {
  return `${revisions.length === 1 ? 'build' : 'builds'} ${formatRanges(revisions, rangesOnLine)}`;
}

type Refused = Extract<Deletion, { kind: 'refused' }>;

function keptFacts({ revision, protected: isProtected, pages }: Refused['kept'][number]) {
  return { revision, protected: isProtected, pages: pages.map(({ name }) => name) };
}

/** States why builds are kept, and which others can be deleted. */
function refusalOf({ kept, others }: Refused): string {
  const reasons = kept.map(({ revision, protected: isProtected, pages }) => {
    const why = [
      ...(isProtected ? ['is protected'] : []),
      ...pages.map(({ name }) => `is on the page “${printable(name)}”`),
    ];
    return `build ${revision} ${why.join(' and ')}`;
  });
  const rest =
    others.length > 0 ? `; without ${kept.length === 1 ? 'it' : 'them'} ${named(others)} can be deleted` : '';
  return `nothing was deleted: ${reasons.join('; ')}${rest}`;
}
