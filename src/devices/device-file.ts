/**
 * The list that Apple's developer site takes under "Register Multiple Devices", and fastlane as the `devices_file` of
 * `register_devices` and `sync_devices`: tab-separated columns under a line of their names (Apple's
 * Multiple-Upload-Samples). Fastlane reads it as CSV, where a quotation mark within a field is a fault.
 */
import { cleanDeviceName, type Device } from './device.ts';

export const deviceFileName = 'devices.txt';

const header = ['Device ID', 'Device Name', 'Device Platform'];
/** iPhones, iPads and Vision Pros are all of this platform, Macs alone are `mac`. */
const platform = 'ios';

/** One line for each UDID: of several registrations the first, which no later one can rename. */
export function renderDeviceFile(devices: readonly Device[]): string {
  const first = new Map(devices.toReversed().map((device) => [device.udid, device]));
  const rows = devices
    .filter((device) => first.get(device.udid) === device)
    .map((device) => [device.udid, nameInFile(device), platform]);
  return [header, ...rows].map((cells) => `${cells.join('\t')}\n`).join('');
}

/** A name must be there: the model with the UDID's end stands in. */
function nameInFile({ name, product, udid }: Device): string {
  return cleanDeviceName(name.replaceAll('"', "'")) || `${product} ${udid.slice(-4)}`;
}
