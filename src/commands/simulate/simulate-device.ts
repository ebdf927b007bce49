/** Chooses a simulator from the output of `xcrun simctl list devices available --json`. */
import { SimulateError } from './simulate-io.ts';

export interface Simulator {
  udid: string;
  name: string;
  booted: boolean;
  /** The iOS version, for example [17, 2]. */
  version: number[];
}

/** Returns every available iOS simulator. Throws `SimulateError` if the text is not the output of simctl. */
export function readSimulators(text: string): Simulator[] {
  const devices = devicesIn(text);
  return Object.entries(devices).flatMap(([runtime, list]) => {
    const [, version] = /\.SimRuntime\.iOS-(\d+(?:-\d+)*)$/.exec(runtime) ?? [];
    if (version === undefined || !Array.isArray(list)) return [];
    return list.flatMap((device: unknown) => {
      const { udid, name, state, isAvailable } = (device ?? {}) as Record<string, unknown>;
      if (typeof udid !== 'string' || !/^[0-9A-Fa-f-]{36}$/.test(udid)) return [];
      if (typeof name !== 'string' || isAvailable === false) return [];
      return [{ udid, name, booted: state === 'Booted', version: version.split('-').map(Number) }];
    });
  });
}

function devicesIn(text: string): Record<string, unknown> {
  try {
    const { devices } = JSON.parse(text) as { devices?: unknown };
    if (typeof devices === 'object' && devices !== null) return { ...devices };
  } catch {
    // Reported below, like JSON without a list of devices.
  }
  throw new SimulateError('The output of xcrun simctl list is invalid.');
}

export interface SimulatorRequest {
  /** A name or a UDID. */
  device: string | null;
  /** The minimum iOS version of the app; null if not stated. */
  minimumOsVersion: string | null;
}

/** Returns the requested simulator, otherwise a running one, otherwise the newest iPhone. Throws `SimulateError`. */
export function chooseSimulator(simulators: readonly Simulator[], request: SimulatorRequest): Simulator {
  const newestFirst = [...simulators].sort(compareByNewest);
  const named =
    request.device === null ? newestFirst : newestFirst.filter((one) => isNamed(one, request.device ?? ''));
  if (named.length === 0) throw noneFound(request.device, newestFirst);
  const needed = (request.minimumOsVersion ?? '').split('.').map(Number);
  const able = named.filter((one) => compareVersions(one.version, needed) >= 0);
  const iPhones = able.filter(({ name }) => name.startsWith('iPhone'));
  const chosen =
    able.find(({ booted }) => booted) ?? (request.device === null ? (iPhones[0] ?? able[0]) : able[0]);
  if (chosen) return chosen;
  const newest = named[0];
  throw new SimulateError(
    `The app requires iOS ${request.minimumOsVersion}, but ${newest?.name} has ${newest?.version.join('.')}.`,
    { hint: 'Install a newer simulator in Xcode > Settings > Components.' },
  );
}

function noneFound(device: string | null, available: readonly Simulator[]): SimulateError {
  if (device === null || available.length === 0) {
    return new SimulateError('There is no iOS simulator on this Mac.', {
      hint: 'Install one in Xcode > Settings > Components.',
    });
  }
  const names = [...new Set(available.map(({ name }) => name))].slice(0, 12);
  return new SimulateError(`No simulator is named ${device}.`, { hint: `Available: ${names.join(', ')}.` });
}

const isNamed = ({ name, udid }: Simulator, wanted: string) =>
  [name, udid].some((one) => one.toLowerCase() === wanted.toLowerCase());

/** Sorts by newest system, then newest model, then name, so that the choice is deterministic. */
function compareByNewest(one: Simulator, other: Simulator): number {
  return (
    compareVersions(other.version, one.version) ||
    modelOf(other) - modelOf(one) ||
    one.name.localeCompare(other.name, 'en')
  );
}

const modelOf = ({ name }: Simulator) => Number(/^iPhone (\d+)/.exec(name)?.[1] ?? 0);

/** Treats missing and non-numeric parts as 0. */
function compareVersions(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = (one[index] || 0) - (other[index] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
