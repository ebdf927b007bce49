/** Changes to the registered devices of an owner: each is one transaction with an audit log entry. */
import { NotFound } from '../core/errors.ts';
import type { Connection, Data } from '../db/data.ts';
import { eventQueries } from '../jobs/event-queries.ts';
import type { Actor } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import type { Owner } from '../owners/owner.ts';
import type { Device } from './device.ts';
import { deviceJson } from './device-json.ts';
import { deviceQueries } from './device-queries.ts';

/** Throws `NotFound` for a device that does not exist. */
export interface DeviceChanges {
  rename(by: Actor, owner: Owner, id: string, name: string): Promise<void>;
  remove(by: Actor, owner: Owner, id: string): Promise<void>;
}

export function createDeviceChanges(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains events. */
  wakeOutbox: () => void;
}): DeviceChanges {
  const { data, now } = deps;
  return {
    rename: (by, owner, id, name) =>
      data.transaction(async (tx) => {
        const device = await deviceQueries(tx).renameDevice(owner.id, id, name);
        if (!device) throw new NotFound();
        await auditQueries(tx).record({
          at: now(),
          actor: by,
          action: 'device.renamed',
          ownerId: owner.id,
          subject: device.udid,
          details: { name },
        });
      }),
    remove: async (by, owner, id) => {
      await data.transaction(async (tx) => {
        const known = await deviceQueries(tx).findOwnedDevice(owner.id, id);
        const device = await deviceQueries(tx).deleteDevice(owner.id, id);
        if (!device) throw new NotFound();
        await recordRemoval(tx, { by, device, userName: known?.userName ?? null, at: now() });
      });
      deps.wakeOutbox();
    },
  };
}

/** Adds the audit log entry and the event for a device that was removed in the same transaction. */
export async function recordRemoval(
  tx: Connection,
  { by, device, userName, at }: { by: Actor; device: Device; userName: string | null; at: number },
): Promise<void> {
  const { ownerId, udid: subject, name, product } = device;
  const entry = { at, actor: by, action: 'device.deleted', ownerId, subject };
  await auditQueries(tx).record({ ...entry, details: { name, product } });
  const removed = deviceJson({ device, userName });
  await eventQueries(tx).keepSubject(ownerId, device.id, { resource: removed });
  await eventQueries(tx).dispatch(ownerId, { type: 'device.removed', ownerId, device: removed }, at);
}
