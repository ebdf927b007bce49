/** Which simulator to use, out of what `xcrun simctl list devices available --json` prints. Pure. */
import { SimulateFault } from './simulate-io.ts';

export interface Simulator {
  udid: string;
  name: string;
  booted: boolean;
  /** Of its iOS, for example [17, 2]. */
  version: number[];
}

/** Every iOS simulator that can be used. Throws SimulateFault when the text is not what simctl prints. */
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
    // Told below, together with what is JSON and no list.
  }
  throw new SimulateFault('What xcrun simctl lists cannot be understood.');
}

export interface Wish {
  /** A name or a UDID. */
  device: string | null;
  /** The least iOS that the app runs on; null when it does not say. */
  minimumOsVersion: string | null;
}

/** The one that was asked for; else one that is running; else the newest iPhone. Throws SimulateFault. */
export function chooseSimulator(simulators: readonly Simulator[], wish: Wish): Simulator {
  const newestFirst = [...simulators].sort(byAge);
  const named =
    wish.device === null ? newestFirst : newestFirst.filter((one) => isNamed(one, wish.device ?? ''));
  if (named.length === 0) throw noneFound(wish.device, newestFirst);
  const needed = (wish.minimumOsVersion ?? '').split('.').map(Number);
  const able = named.filter((one) => compareVersions(one.version, needed) >= 0);
  const iPhones = able.filter(({ name }) => name.startsWith('iPhone'));
  const chosen =
    able.find(({ booted }) => booted) ?? (wish.device === null ? (iPhones[0] ?? able[0]) : able[0]);
  if (chosen) return chosen;
  const newest = named[0];
  throw new SimulateFault(
    `The app needs iOS ${wish.minimumOsVersion}, and ${newest?.name} has ${newest?.version.join('.')}.`,
    { hint: 'Xcode, Settings, Components brings newer simulators.' },
  );
}

function noneFound(device: string | null, there: readonly Simulator[]): SimulateFault {
  if (device === null || there.length === 0) {
    return new SimulateFault('There is no iOS simulator on this Mac.', {
      hint: 'Xcode, Settings, Components brings them.',
    });
  }
  const names = [...new Set(there.map(({ name }) => name))].slice(0, 12);
  return new SimulateFault(`There is no simulator called ${device}.`, {
    hint: `There are ${names.join(', ')}.`,
  });
}

const isNamed = ({ name, udid }: Simulator, wanted: string) =>
  [name, udid].some((one) => one.toLowerCase() === wanted.toLowerCase());

/** Newer systems first, then newer models; names of one age in their own order, so that the choice is always the same. */
function byAge(one: Simulator, other: Simulator): number {
  return (
    compareVersions(other.version, one.version) ||
    modelOf(other) - modelOf(one) ||
    one.name.localeCompare(other.name, 'en')
  );
}

const modelOf = ({ name }: Simulator) => Number(/^iPhone (\d+)/.exec(name)?.[1] ?? 0);

/** Missing parts are 0, as is what is no number. */
function compareVersions(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = (one[index] || 0) - (other[index] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
