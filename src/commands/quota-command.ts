/** `slipway quota`. */
import { formatBytes } from '../core/byte-size.ts';
import { AppError, invalid, NotFound } from '../core/errors.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { readBuildLimit, readProjectLimit, readStorageLimit } from '../owners/quota.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { createOwnerChanges } from '../projects/settings/owner-changes.ts';
import { type CommandIo, print } from './command-io.ts';
import { UsageError } from './uploader/upload-error.ts';
import { withData } from './with-data.ts';

export async function runQuotaSet(
  io: CommandIo,
  ownerName: string,
  options: { storage?: string; builds?: string; projects?: string; countsFor?: string; json?: boolean },
): Promise<void> {
  const read = <Value>(text: string | undefined, reading: (text: string) => Value) =>
    text === undefined ? undefined : asArgument(() => reading(text.toLowerCase() === 'none' ? '' : text));
  const storage = read(options.storage, readStorageLimit);
  const builds = read(options.builds, readBuildLimit);
  const projects = read(options.projects, readProjectLimit);
  await withData(io, async ({ data, now }) => {
    const owner = await ownerQueries(data).findOwner(ownerName);
    const known = owner && (await quotaQueries(data).find(owner.id));
    if (!owner || !known) throw new NotFound(`there is no user or Project ${ownerName}`);
    const quota = {
      maxStorageBytes: storage === undefined ? known.maxStorageBytes : storage,
      maxBuilds: builds === undefined ? known.maxBuilds : builds,
      maxProjects: projects === undefined ? known.maxProjects : projects,
    };
    if (owner.kind === 'project' && projects !== undefined)
      throw invalid('--projects applies to users, not Projects');
    if (owner.kind === 'user' && options.countsFor !== undefined)
      throw invalid('--counts-for applies to Projects, not users');
    const changes = createOwnerChanges({ data, now });
    if (owner.kind === 'project' && options.countsFor !== undefined)
      await changes.setAccountable('command-line', owner, options.countsFor);
    await changes.setQuota('command-line', owner, quota);
    const accountable =
      owner.kind === 'project' ? await quotaQueries(data).findAccountableUser(owner.id) : null;
    const limit = quota.maxStorageBytes === null ? 'no limit' : formatBytes(quota.maxStorageBytes);
    const facts = {
      owner: owner.name,
      max_storage_bytes: quota.maxStorageBytes,
      max_builds: quota.maxBuilds,
      ...(owner.kind === 'user'
        ? { max_projects: quota.maxProjects }
        : { counts_for: accountable?.name ?? null }),
    };
    print(
      io,
      options.json ?? false,
      facts,
      `Limits of ${owner.name}: storage: ${limit}; builds: ${quota.maxBuilds ?? 'no limit'}${
        owner.kind === 'user'
          ? `; Projects: ${quota.maxProjects ?? 'no limit'}`
          : accountable
            ? `; counts toward the limits of ${accountable.name}`
            : ''
      }.`,
    );
  });
}

/** Converts an invalid argument into a usage error. */
function asArgument<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof AppError ? new UsageError(error.message) : error;
  }
}
