/** `slipway simulate`: from arguments to exit code. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../../core/byte-size.ts';
import { UnreadablePackage } from '../../packages/package-info.ts';
import { environmentKeyFor } from '../environment-key.ts';
import { draw, printable, writeLines } from '../terminal-text.ts';
import { UsageError } from '../uploader/upload-error.ts';
import { chooseSimulator, readSimulators, type Simulator } from './simulate-device.ts';
import { type Download, downloadTo, findSimulatorZip } from './simulate-download.ts';
import { SimulateError, type SimulateIo } from './simulate-io.ts';
import { readSimulateOptions, type SimulateOptions, simulateHelp } from './simulate-options.ts';
import { type UnpackedApp, unpackSimulatorZip } from './simulate-unpack.ts';

/** `argv` excludes the command's name. Resolves to the exit code: 0 started, 1 not started, 2 usage error. */
export async function runSimulate(argv: readonly string[], io: SimulateIo): Promise<number> {
  try {
    const options = readSimulateOptions(argv);
    if (options === null) {
      draw(io.stdout, simulateHelp(io.command));
      return 0;
    }
    await simulate(options, io);
    return 0;
  } catch (error) {
    return printError(error, io);
  }
}

function printError(error: unknown, io: SimulateIo): number {
  if (error instanceof UsageError) {
    writeLines(io.stderr, printable(error.message), `Try ${io.command} --help`);
    return 2;
  }
  if (error instanceof UnreadablePackage) {
    writeLines(io.stderr, `Not a simulator build: ${printable(error.message)}`);
    return 1;
  }
  if (!(error instanceof SimulateError)) throw error;
  writeLines(io.stderr, printable(error.message));
  if (error.hint) writeLines(io.stderr, `  ${printable(error.hint)}`);
  return 1;
}

async function simulate(options: SimulateOptions, io: SimulateIo): Promise<void> {
  if (io.platform !== 'darwin') {
    throw new SimulateError('simulate requires a Mac with Xcode: iOS simulators run only there.');
  }
  // Checked first, because the download is useless without a simulator.
  const simulators = readSimulators(await simctl(io, ['list', 'devices', 'available', '--json']));
  chooseSimulator(simulators, { device: options.device, minimumOsVersion: null });
  const folder = await mkdtemp(join(io.temporaryFolder, 'slipway-simulate-'));
  try {
    const app = await fetchApp(options, io, folder);
    const request = { device: options.device, minimumOsVersion: app.minimumOsVersion };
    await start(app, chooseSimulator(simulators, request), io);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchApp(options: SimulateOptions, io: SimulateIo, folder: string): Promise<UnpackedApp> {
  const { address } = options;
  const download: Download = { address, apiKey: keyFor(address, io), interrupted: io.interrupted };
  const zip = join(folder, 'simulator.zip');
  const bytes = await downloadTo(download, await findSimulatorZip(download), zip);
  const app = await unpackSimulatorZip(zip, folder);
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(app.bundleIdentifier)) {
    throw new SimulateError('The bundle identifier of the app is invalid.');
  }
  writeLines(io.stderr, `Downloaded ${printable(app.name)} (${formatBytes(bytes)}).`);
  return app;
}

/** An address that contains a key needs no other. */
function keyFor(address: URL, { env, stderr }: SimulateIo): string | null {
  const { key, refusal } = environmentKeyFor(env, address.origin);
  if (refusal !== null && !address.searchParams.has('key')) writeLines(stderr, `${refusal}.`);
  return key;
}

async function start(app: UnpackedApp, simulator: Simulator, io: SimulateIo): Promise<void> {
  const { udid } = simulator;
  const where = `${printable(simulator.name)}, iOS ${simulator.version.join('.')}`;
  if (!simulator.booted) {
    writeLines(io.stderr, `Starting ${where} …`);
    await simctl(io, ['boot', udid]);
  }
  await run(io, 'open', ['-a', 'Simulator', '--args', '-CurrentDeviceUDID', udid]);
  await simctl(io, ['bootstatus', udid]);
  await simctl(io, ['install', udid, app.path]);
  await simctl(io, ['launch', udid, app.bundleIdentifier]);
  writeLines(io.stdout, `${printable(app.name)} is running on ${where}.`);
}

const simctl = (io: SimulateIo, args: readonly string[]) => run(io, 'xcrun', ['simctl', ...args]);

/** Returns the output of the program. If it fails, rejects with `SimulateError` and its error output. */
async function run(io: SimulateIo, program: string, args: readonly string[]): Promise<string> {
  if (io.interrupted.aborted) throw new SimulateError('Stopped.');
  const result = await io.run(program, args).catch((error: unknown) => {
    throw new SimulateError(`${program} could not be run.`, { hint: xcodeHint, cause: error });
  });
  if (result.exitCode === 0) return result.stdout;
  const said = printable(result.stderr).slice(0, 500) || `exit code ${result.exitCode}`;
  const missing = /unable to find utility "simctl"|xcode-select|active developer/.test(result.stderr);
  throw new SimulateError(
    `${[program, ...args.slice(0, 2)].join(' ')} failed: ${said}`,
    missing ? { hint: xcodeHint } : {},
  );
}

const xcodeHint = 'Install Xcode, open it once and select it with xcode-select --switch.';
