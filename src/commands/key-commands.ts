/** `slipway key add`, `list` and `revoke`. */
import { NotFound } from '../errors.ts';
import { type CommandIo, print } from './command-io.ts';
import { UsageFault } from './upload-fault.ts';
import { withData } from './with-data.ts';

interface Whose {
  user?: string;
  project?: string;
}

function ownerOf(options: Whose): { ownerName: string; ownerKind: 'user' | 'project' } {
  if ((options.user === undefined) === (options.project === undefined)) {
    throw new UsageFault('name either --user or --project');
  }
  return options.user === undefined
    ? { ownerName: options.project ?? '', ownerKind: 'project' }
    : { ownerName: options.user, ownerKind: 'user' };
}

export async function runKeyAdd(
  io: CommandIo,
  options: Whose & { name: string; expires?: number; json?: boolean },
): Promise<void> {
  const owner = ownerOf(options);
  await withData(io, async ({ issueKey }) => {
    const expiresAt = options.expires === undefined ? null : Date.now() + options.expires;
    const { key, record } = await issueKey({ ...owner, name: options.name, expiresAt, by: 'command-line' });
    const facts = {
      api_key: key,
      id: record.id,
      owner: owner.ownerName,
      name: record.name,
      expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    };
    print(io, options.json ?? false, facts, `API key of ${owner.ownerName}. This is shown once:\n${key}`);
  });
}

export async function runKeyList(io: CommandIo, options: Whose & { json?: boolean }): Promise<void> {
  const { ownerName, ownerKind } = ownerOf(options);
  await withData(io, async ({ data }) => {
    const owner = await data.owners.findOwner(ownerName);
    if (owner?.kind !== ownerKind) throw new NotFound(`there is no ${ownerKind} ${ownerName}`);
    for (const key of await data.access.listKeys(owner.id)) {
      const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
      const facts = {
        id: key.id,
        name: key.name,
        begins_with: key.hint,
        created_at: time(key.createdAt),
        last_used_at: time(key.lastUsedAt),
        expires_at: time(key.expiresAt),
        revoked_at: time(key.revokedAt),
      };
      const state = facts.revoked_at ? 'revoked' : `last used ${facts.last_used_at ?? 'never'}`;
      print(io, options.json ?? false, facts, `${key.id}  ${key.hint}…  ${key.name}  ${state}`);
    }
  });
}

export async function runKeyRevoke(
  io: CommandIo,
  id: string,
  options: Whose & { json?: boolean },
): Promise<void> {
  const { ownerName, ownerKind } = ownerOf(options);
  await withData(io, async ({ data }) => {
    const owner = await data.owners.findOwner(ownerName);
    if (owner?.kind !== ownerKind) throw new NotFound(`there is no ${ownerKind} ${ownerName}`);
    const at = Date.now();
    await data.transaction(async (inside) => {
      const revoked = await inside.access.revokeKey(owner.id, id, at);
      if (!revoked) throw new NotFound(`${ownerName} has no usable key ${id}`);
      await inside.audit.record({
        at,
        actor: 'command-line',
        action: 'key.revoked',
        ownerId: owner.id,
        subject: id,
      });
    });
    print(io, options.json ?? false, { id, revoked: true }, `The key ${id} is revoked.`);
  });
}
