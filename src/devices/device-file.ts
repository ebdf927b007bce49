/**
 * Renders the file for "Register Multiple Devices" on Apple's developer site and for `devices_file` of fastlane's
 * `register_devices` and `sync_devices`: tab-separated columns with a header line (Apple's Multiple-Upload-Samples).
 * Fastlane parses it as CSV, where a quotation mark within a field is an error.
 */
import { cleanDeviceName, type Device } from './device.ts';

export const deviceFileName = 'devices.txt';

const header = ['Device ID', 'Device Name', 'Device Platform'];
/** iPhones, iPads and Vision Pros have the same platform. Only Macs use `mac`. */
const platform = 'ios';

/** One line per UDID. The first registration is used, so a later one cannot rename a device. */
export function renderDeviceFile(devices: readonly Device[]): string {
  const first = new Map(devices.toReversed().map((device) => [device.udid, device]));
  const rows = devices
    .filter((device) => first.get(device.udid) === device)
    .map((device) => [device.udid, nameInFile(device), platform]);
  return [header, ...rows].map((cells) => `${cells.join('\t')}\n`).join('');
}

/** The name is required and defaults to the model and the end of the UDID. */
function nameInFile({ name, product, udid }: Device): string {
  return cleanDeviceName(name.replaceAll('"', "'")) || `${product} ${udid.slice(-4)}`;
}
