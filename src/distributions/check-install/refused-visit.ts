/** The last refusal of each member and each registered device on a page. Nothing is recorded about guests. */
import type { Device } from '../../devices/device.ts';

export interface RefusedVisit {
  /** A `RefusalReason`, possibly from a later version. */
  reason: string;
  /** Platform and major version, for example `Android 16`. */
  system: string;
  /** Epoch milliseconds. */
  at: number;
}

export interface RefusedPerson {
  refusal: RefusedVisit;
  /** Null if nobody was signed in on the registered device. */
  userName: string | null;
  device: Pick<Device, 'id' | 'name' | 'product'> | null;
}
