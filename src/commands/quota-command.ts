/** `slipway quota`. */
import { formatBytes } from '../byte-size.ts';
import { AppError, NotFound } from '../errors.ts';
import { readBuildLimit, readStorageLimit } from '../owners/quota.ts';
import { createOwnerChanges } from '../projects/owner-changes.ts';
import { type CommandIo, print } from './command-io.ts';
import { UsageFault } from './upload-fault.ts';
import { withData } from './with-data.ts';

export async function runQuotaSet(
  io: CommandIo,
  ownerName: string,
  options: { storage?: string; builds?: string; json?: boolean },
): Promise<void> {
  const read = <Value>(text: string | undefined, reading: (text: string) => Value) =>
    text === undefined ? undefined : asArgument(() => reading(text.toLowerCase() === 'none' ? '' : text));
  const storage = read(options.storage, readStorageLimit);
  const builds = read(options.builds, readBuildLimit);
  await withData(io, async ({ data }) => {
    const owner = await data.owners.findOwner(ownerName);
    const known = owner && (await data.quotas.find(owner.id));
    if (!owner || !known) throw new NotFound(`there is no user or Project ${ownerName}`);
    const quota = {
      maxStorageBytes: storage === undefined ? known.maxStorageBytes : storage,
      maxBuilds: builds === undefined ? known.maxBuilds : builds,
    };
    const changes = createOwnerChanges({ data, now: Date.now });
    await changes.setQuota('command-line', owner, quota);
    const most = quota.maxStorageBytes === null ? 'no limit' : formatBytes(quota.maxStorageBytes);
    const facts = {
      owner: owner.name,
      max_storage_bytes: quota.maxStorageBytes,
      max_builds: quota.maxBuilds,
    };
    print(
      io,
      options.json ?? false,
      facts,
      `${owner.name} may store: ${most}; builds: ${quota.maxBuilds ?? 'no limit'}.`,
    );
  });
}

/** What a rule says against an argument is a usage error. */
function asArgument<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof AppError ? new UsageFault(error.message) : error;
  }
}
