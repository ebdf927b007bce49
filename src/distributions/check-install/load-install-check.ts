/** Loads the data for the install check of a page. */
import { memberActivityQueries } from '../../apps/activity/member-activity-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { findAppPerson } from '../../apps/testers/find-app-person.ts';
import type { ViewAccess } from '../../apps/view-access.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Device, OwnedDevice } from '../../devices/device.ts';
import { deviceQueries } from '../../devices/device-queries.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { membershipOf } from '../access/page-membership.ts';
import type { PageWithApp } from '../distribution-queries.ts';
import type { CheckedInstall, CheckedPerson } from './install-check.ts';
import { refusedVisitQueries } from './refused-visit-queries.ts';

export interface InstallCheckDeps {
  data: Data;
  viewAccess: ViewAccess;
}

/** Name of a person, id of a device, or both. */
export interface AskedInstall {
  person?: string | undefined;
  device?: string | undefined;
}

export interface LoadedInstall {
  checked: CheckedInstall;
  /** The devices that the person registered with the owner of the app. */
  devices: readonly Device[];
}

const maxDevices = 20;

/** Throws `NotFound` for a device that is not registered with the owner of the app. */
export async function loadInstallCheck(
  deps: InstallCheckDeps,
  place: PageWithApp,
  asked: AskedInstall,
  { origin, now }: { origin: string; now: number },
): Promise<LoadedInstall> {
  const { data } = deps;
  const { page, app } = place;
  const build = await buildQueries(data).findBuild(page.buildId);
  if (!build) throw new NotFound();
  const chosen = asked.device === undefined ? null : await findDevice(data, app.owner.id, asked.device);
  const name = asked.person ?? chosen?.userName ?? null;
  const found = name === null ? null : await findPerson(deps, place, name);
  const devices =
    app.platform === 'ios' && found?.userId
      ? await deviceQueries(data).devicesWithOwner(app.owner.id, found.userId, maxDevices)
      : [];
  const device = chosen?.device ?? devices[0] ?? null;
  const userId = found?.userId ?? null;
  const lastRefusal = await refusedVisitQueries(data).findLast(page.id, {
    userId,
    deviceId: chosen?.device.id ?? null,
  });
  const visited = userId === null ? null : await memberActivityQueries(data).lastSeen(app.id, userId);
  const seen =
    lastRefusal && lastRefusal.at > (visited?.at ?? 0)
      ? { ...lastRefusal, model: visited?.model ?? null }
      : visited;
  const groups = page.access === 'groups' ? await groupQueries(data).groupsOfPage(page.id) : [];
  return {
    devices,
    checked: {
      page,
      build,
      person: found?.person ?? null,
      device,
      groups: groups.map((group) => group.name),
      seen,
      lastRefusal,
      origin,
      now,
    },
  };
}

async function findDevice(data: Data, ownerId: string, id: string): Promise<OwnedDevice> {
  const found = await deviceQueries(data).findOwnedDevice(ownerId, id);
  if (!found) throw new NotFound();
  return found;
}

/** A person without access to the app is treated like a name that does not exist. */
async function findPerson(
  deps: InstallCheckDeps,
  place: PageWithApp,
  name: string,
): Promise<{ person: CheckedPerson; userId: string | null }> {
  const { data } = deps;
  const known = await findAppPerson(data, place.app, name);
  const user = known && (await ownerQueries(data).findOwnerById(known.user.id));
  if (user?.kind !== 'user' || !known) {
    const withoutAccess = {
      reason: null,
      isDisabled: false,
      mayManage: false,
      member: false,
      inGroup: false,
      barred: null,
    };
    return { person: { name, ...withoutAccess }, userId: null };
  }
  const isDisabled = (await ownerQueries(data).findUserForSignIn(user.name)) === null;
  const membership = await membershipOf(deps, place, { kind: 'user', user });
  return { person: { name: user.name, reason: known.reason, isDisabled, ...membership }, userId: user.id };
}
