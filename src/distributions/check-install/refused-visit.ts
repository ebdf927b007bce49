/** The last refusal of each member and each registered device on a page. Guests and strangers are never recorded. */
import type { Device } from '../../devices/device.ts';

export interface RefusedVisit {
  /** A `RefusalReason`, perhaps of a later version. */
  reason: string;
  /** Platform and major version, for example `Android 16`. */
  system: string;
  /** Epoch milliseconds. */
  at: number;
}

export interface RefusedPerson {
  refusal: RefusedVisit;
  /** Null: someone who was not signed in, on a registered device. */
  userName: string | null;
  device: Pick<Device, 'id' | 'name' | 'product'> | null;
}
