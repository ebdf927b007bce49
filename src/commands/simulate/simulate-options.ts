/** The command line of `simulate`. Uses only `node:util`, to keep the single-file bundle free of dependencies. */
import util from 'node:util';
import { UsageError } from '../uploader/upload-error.ts';

export interface SimulateOptions {
  address: URL;
  /** A name or a UDID; null for the booted simulator, otherwise the newest iPhone. */
  device: string | null;
}

const maxDeviceLength = 200;

/** Returns null if help is requested. Throws `UsageError`. */
export function readSimulateOptions(argv: readonly string[]): SimulateOptions | null {
  const { values, positionals } = parse(argv);
  if (values.help) return null;
  const [address, ...more] = positionals;
  if (!address) throw new UsageError('Missing address: pass the address of the build page or download.');
  if (more.length > 0) throw new UsageError('Pass one address. Quote an address that contains &.');
  const device = values.device?.trim() ?? null;
  if (device !== null && (device === '' || device.length > maxDeviceLength)) {
    throw new UsageError('--device must be the name or the UDID of a simulator.');
  }
  return { address: readAddress(address), device };
}

function parse(argv: readonly string[]) {
  const options = { device: { type: 'string', short: 'd' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    return util.parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
    throw new UsageError(`${sentence}.`);
  }
}

function readAddress(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new UsageError(`The address must begin with https:// or http://, not ${text.slice(0, 100)}`);
  }
  const url = new URL(text);
  if (url.username || url.password)
    throw new UsageError('The address must not contain a user name or password.');
  url.hash = '';
  return url;
}

/** `command` is the name of the program, such as `slipway simulate`. */
export function simulateHelp(command: string): string {
  return `Open a simulator build on this Mac: download, install in a simulator, start.

Usage: ${command} ADDRESS [--device NAME]

  ADDRESS                    a build page, its simulator download or a distribution page
  -d, --device NAME          name or UDID of the simulator (default: the running one, else the
                             newest iPhone)
  -h, --help

Simulator builds are for members: set SLIPWAY_API_KEY to your API key, and SLIPWAY_URL to the server
of the key, which is not sent anywhere else. The address of a simulator download shown on a page
contains its own key and needs neither.

Exits with 0 when the app was started, 1 when it was not, 2 for a usage error.
`;
}
