import { type Selectable, sql } from 'kysely';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import type { Device, DeviceListing, OwnedDevice } from './device.ts';
import type { OwnRegistration } from './own-devices.ts';

export interface RegisteredDevice
  extends Pick<Device, 'ownerId' | 'udid' | 'name' | 'product' | 'osVersion'> {
  userId: string | null;
  /** ID of the browser, from its cookie. */
  browser: string;
  pageId: string;
  now: number;
}

const columns = [
  'id',
  'owner_id',
  'udid',
  'name',
  'product',
  'os_version',
  'user_id',
  'page_id',
  'created_at',
  'updated_at',
  'browser',
] as const;

const deviceColumns = columns.filter((column) => column !== 'browser');

/** PostgreSQL treats an untyped parameter in a select list as text. */
const bigint = (value: number) => sql<number>`cast(${value} as bigint)`;
const text = (value: string | null) => sql<string>`cast(${value} as text)`;

export const deviceQueries = defineQueries(createDeviceQueries);

function createDeviceQueries(db: Queries) {
  /**
   * Updates the caller's own registration, or that of their browser unless it belongs to someone else. Keeps an existing name,
   * because the Owner may have set it.
   */
  const renewDevice = async (device: RegisteredDevice): Promise<Device | null> => {
    const { ownerId, udid, userId, browser } = device;
    const row = await db
      .updateTable('devices')
      .set((set) => ({
        name: set.case().when('name', '=', '').then(device.name).else(set.ref('name')).end(),
        product: device.product,
        os_version: device.osVersion,
        page_id: device.pageId,
        updated_at: device.now,
        browser,
        ...(userId === null ? {} : { user_id: userId }),
      }))
      .where('id', '=', (inner) =>
        inner
          .selectFrom('devices')
          .select('id')
          .where('owner_id', '=', ownerId)
          .where('udid', '=', udid)
          .where((where) =>
            where.or([
              ...(userId === null ? [] : [where('user_id', '=', userId)]),
              userId === null
                ? where('browser', '=', browser)
                : where.and([where('browser', '=', browser), where('user_id', 'is', null)]),
            ]),
          )
          // Prefers the person's own registration over that of the browser.
          .orderBy((order) => order.case().when('user_id', 'is', null).then(1).else(0).end())
          .orderBy('id')
          .limit(1),
      )
      .returning(deviceColumns)
      .executeTakeFirst();
    return row ? toDevice(row) : null;
  };

  const withPages = () =>
    db
      .selectFrom('devices as d')
      .leftJoin('distribution_pages as p', 'p.id', 'd.page_id')
      .selectAll('d')
      .select(['p.name as page_name', 'p.access_key as page_key']);

  const ownedDevices = (ownerId: string) =>
    db
      .selectFrom('devices as d')
      .leftJoin('owners as o', 'o.id', 'd.user_id')
      .select(deviceColumns.map((column) => `d.${column}` as const))
      .select('o.name as user_name')
      .where('d.owner_id', '=', ownerId);

  return {
    /**
     * Registers the device for the caller, or updates the caller's registration. Never changes or reveals registrations
     * of others, even of the same UDID. Returns null if the owner has `limit` registrations.
     */
    async putDevice(device: RegisteredDevice, limit: number): Promise<Device | null> {
      const reencrypt = await renewDevice(device);
      if (reencrypt) return reencrypt;
      const row = await db
        .insertInto('devices')
        .columns(columns)
        .expression(
          db
            .selectNoFrom([
              text(newIdentifier(device.now)).as('id'),
              text(device.ownerId).as('owner_id'),
              text(device.udid).as('udid'),
              text(device.name).as('name'),
              text(device.product).as('product'),
              text(device.osVersion).as('os_version'),
              text(device.userId).as('user_id'),
              text(device.pageId).as('page_id'),
              bigint(device.now).as('created_at'),
              bigint(device.now).as('updated_at'),
              text(device.browser).as('browser'),
            ])
            .where((where) =>
              where(
                where
                  .selectFrom('devices')
                  .select((select) => select.fn.countAll().as('count'))
                  .where('owner_id', '=', device.ownerId),
                '<',
                limit,
              ),
            ),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning(deviceColumns)
        .executeTakeFirst();
      // A concurrent response of the same device was faster.
      return row ? toDevice(row) : renewDevice(device);
    },

    async findDevice(id: string): Promise<Device | null> {
      const row = await db
        .selectFrom('devices')
        .select(deviceColumns)
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? toDevice(row) : null;
    },

    /** Returns the newest registration of the browser, preferably with this owner. */
    async findDeviceOfBrowser(browser: string, ownerId: string): Promise<Device | null> {
      const row = await db
        .selectFrom('devices')
        .select(deviceColumns)
        .where('browser', '=', browser)
        .orderBy((order) => order.case().when('owner_id', '=', ownerId).then(0).else(1).end())
        .orderBy('updated_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? toDevice(row) : null;
    },

    /** Newest first. */
    async listDevices(ownerId: string, skip: number, limit: number): Promise<DeviceListing[]> {
      const rows = await withPages()
        .leftJoin('owners as o', 'o.id', 'd.user_id')
        .select((select) => [
          'o.name as user_name',
          select
            .selectFrom('devices as same')
            .select((count) => count.fn.countAll<number>().as('count'))
            .whereRef('same.owner_id', '=', 'd.owner_id')
            .whereRef('same.udid', '=', 'd.udid')
            .as('registrations'),
        ])
        .where('d.owner_id', '=', ownerId)
        .orderBy('d.id', 'desc')
        .offset(skip)
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        device: toDevice(row),
        userName: row.user_name,
        page: pageOf(row),
        repeated: Number(row.registrations) > 1,
      }));
    },

    /** Lists the devices that the user registered while signed in, with any owner, newest first. */
    async devicesOfUser(userId: string, limit: number): Promise<OwnRegistration[]> {
      const rows = await withPages()
        .innerJoin('owners as o', 'o.id', 'd.owner_id')
        .select(['o.name as owner_name', 'o.kind as owner_kind'])
        .where('d.user_id', '=', userId)
        .orderBy('d.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        device: toDevice(row),
        userName: null,
        page: pageOf(row),
        owner: { kind: row.owner_kind, name: row.owner_name },
      }));
    },

    /** Renames the device in every list and returns the updated devices. */
    async renameDevicesOfUser(userId: string, udid: string, name: string): Promise<Device[]> {
      const rows = await db
        .updateTable('devices')
        .set({ name })
        .where('user_id', '=', userId)
        .where('udid', '=', udid)
        .returningAll()
        .execute();
      return rows.map(toDevice);
    },

    /** Returns the removed device, or null if the user did not register it. */
    async deleteDeviceOfUser(userId: string, id: string): Promise<Device | null> {
      const row = await db
        .deleteFrom('devices')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returningAll()
        .executeTakeFirst();
      return row ? toDevice(row) : null;
    },

    /** Returns all devices in order of registration. */
    async allDevices(ownerId: string, limit: number): Promise<Device[]> {
      const rows = await db
        .selectFrom('devices')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toDevice);
    },

    /** Finds devices of the owner by UDID. */
    async listOwnedDevices(
      ownerId: string,
      { after, limit }: { after?: { udid: string; id: string } | undefined; limit: number },
    ): Promise<OwnedDevice[]> {
      const rows = await ownedDevices(ownerId)
        .$if(after !== undefined, (query) =>
          query.where(sql<boolean>`(d.udid, d.id) > (${after?.udid}, ${after?.id})`),
        )
        .orderBy('d.udid')
        .orderBy('d.id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ device: toDevice(row), userName: row.user_name }));
    },

    /** Lists the devices that the user registered with the owner while signed in, the most recently used first. */
    async devicesWithOwner(ownerId: string, userId: string, limit: number): Promise<Device[]> {
      const rows = await ownedDevices(ownerId)
        .where('d.user_id', '=', userId)
        .orderBy('d.updated_at', 'desc')
        .orderBy('d.id')
        .limit(limit)
        .execute();
      return rows.map(toDevice);
    },

    /** Lists devices whose name, UDID or person contains every word, ignoring case; newest first. */
    async searchOwnedDevices(
      ownerId: string,
      words: readonly string[],
      limit: number,
    ): Promise<OwnedDevice[]> {
      let query = ownedDevices(ownerId).orderBy('d.id', 'desc').limit(limit);
      for (const word of words) {
        const pattern = `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
        query = query.where(
          sql<boolean>`lower(d.name || ' ' || d.udid || ' ' || coalesce(o.name, '')) like ${pattern} escape '\\'`,
        );
      }
      return (await query.execute()).map((row) => ({ device: toDevice(row), userName: row.user_name }));
    },

    async findOwnedDevice(ownerId: string, id: string): Promise<OwnedDevice | null> {
      const row = await ownedDevices(ownerId).where('d.id', '=', id).executeTakeFirst();
      return row ? { device: toDevice(row), userName: row.user_name } : null;
    },

    async countDevices(ownerId: string): Promise<number> {
      const row = await db
        .selectFrom('devices')
        .select((select) => select.fn.countAll().as('count'))
        .where('owner_id', '=', ownerId)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Returns the updated device, or null if the owner has none with that ID. */
    async renameDevice(ownerId: string, id: string, name: string): Promise<Device | null> {
      const row = await db
        .updateTable('devices')
        .set({ name })
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .returningAll()
        .executeTakeFirst();
      return row ? toDevice(row) : null;
    },

    /** Returns the removed device, or null if the owner has none with that ID. */
    async deleteDevice(ownerId: string, id: string): Promise<Device | null> {
      const row = await db
        .deleteFrom('devices')
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .returningAll()
        .executeTakeFirst();
      return row ? toDevice(row) : null;
    },
  };
}

function pageOf(row: { page_name: string | null; page_key: string | null }): DeviceListing['page'] {
  return row.page_name !== null && row.page_key !== null
    ? { name: row.page_name, accessKey: row.page_key }
    : null;
}

type DeviceRow = Omit<Selectable<Tables['devices']>, 'browser'>;

function toDevice(row: DeviceRow): Device {
  return {
    id: row.id,
    ownerId: row.owner_id,
    udid: row.udid,
    name: row.name,
    product: row.product,
    osVersion: row.os_version,
    userId: row.user_id,
    pageId: row.page_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
