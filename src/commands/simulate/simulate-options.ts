/** The command line of `simulate`, by `node:util` alone so that the single file needs nothing else. */
import util from 'node:util';
import { UsageFault } from '../uploader/upload-fault.ts';

export interface SimulateOptions {
  address: URL;
  /** A name or a UDID; null: the one that is booted, else the newest iPhone. */
  device: string | null;
}

const maxDeviceLength = 200;

/** Null when help is asked for. Throws `UsageFault`. */
export function readSimulateOptions(argv: readonly string[]): SimulateOptions | null {
  const { values, positionals } = parse(argv);
  if (values.help) return null;
  const [address, ...more] = positionals;
  if (!address)
    throw new UsageFault('Which build? The first argument is the address of its page or download.');
  if (more.length > 0) throw new UsageFault('One address at a time. One with an & in it needs quotes.');
  const device = values.device?.trim() ?? null;
  if (device !== null && (device === '' || device.length > maxDeviceLength)) {
    throw new UsageFault('--device is the name or the UDID of a simulator.');
  }
  return { address: readAddress(address), device };
}

function parse(argv: readonly string[]) {
  const options = { device: { type: 'string', short: 'd' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    return util.parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
    throw new UsageFault(`${sentence}.`);
  }
}

function readAddress(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new UsageFault(`The address begins with https:// or http://, unlike ${text.slice(0, 100)}`);
  }
  const url = new URL(text);
  if (url.username || url.password) throw new UsageFault('The address holds no user name or password.');
  url.hash = '';
  return url;
}

/** `command` is how the program is called, such as `slipway simulate`. */
export function simulateHelp(command: string): string {
  return `Open a simulator build on this Mac: download, install in a simulator, start.

Usage: ${command} ADDRESS [--device NAME]

  ADDRESS                    of a build's page, of its simulator download, or of a distribution page
  -d, --device NAME          name or UDID of the simulator; without it the one that is running,
                             else the newest iPhone
  -h, --help

Simulator builds are for members: put your API key into SLIPWAY_API_KEY. The address of a simulator
download that a page shows carries a key of its own and needs none. When SLIPWAY_URL is set, the key
is sent to that server alone.

Ends with 0 when the app has been started, 1 when not, 2 when the command line is wrong.
`;
}
