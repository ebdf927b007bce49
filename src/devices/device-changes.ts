/** Changes to the registered devices of an owner: each is one transaction with an audit log entry. */
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { Actor } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import type { Owner } from '../owners/owner.ts';
import { deviceQueries } from './device-queries.ts';

/** Devices that do not exist are `NotFound`. */
export interface DeviceChanges {
  rename(by: Actor, owner: Owner, id: string, name: string): Promise<void>;
  remove(by: Actor, owner: Owner, id: string): Promise<void>;
}

export function createDeviceChanges({ data, now }: { data: Data; now: () => number }): DeviceChanges {
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
    remove: (by, owner, id) =>
      data.transaction(async (tx) => {
        const device = await deviceQueries(tx).deleteDevice(owner.id, id);
        if (!device) throw new NotFound();
        await auditQueries(tx).record({
          at: now(),
          actor: by,
          action: 'device.deleted',
          ownerId: owner.id,
          subject: device.udid,
          details: { name: device.name, product: device.product },
        });
      }),
  };
}
