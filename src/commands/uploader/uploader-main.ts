/** The uploader, and `simulate`, as a program of its own: bundled into the one file that servers offer as `/cli/slipway.mjs`. */
import process from 'node:process';
import { runSimulate } from '../simulate/simulate-command.ts';
import { simulateIoOf } from '../simulate/simulate-host.ts';
import { runUpload } from './upload-command.ts';
import { uploadIoOf } from './uploader-host.ts';

/** Put in place of this name when the file is bundled. */
declare const slipwayVersion: string;

const leastNodeMajor = 20;

function ignoreBrokenPipe(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Everything that this file imports must load on older versions too, or its message would never be seen. */
function main(): Promise<number> {
  const [major = '0'] = process.versions.node.split('.');
  if (Number(major) < leastNodeMajor) {
    process.stderr.write(
      `Slipway's uploader needs Node ${leastNodeMajor} or newer; this is ${process.version}.\n`,
    );
    return Promise.resolve(2);
  }
  // The reader of the output is gone: the work continues, and its exit code counts.
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreBrokenPipe);
  const [first, ...rest] = process.argv.slice(2);
  if (first === 'simulate') return runSimulate(rest, simulateIoOf(process, 'node slipway.mjs simulate'));
  const argv = first === 'upload' ? rest : process.argv.slice(2);
  return runUpload(
    argv.length > 0 ? argv : ['--help'],
    uploadIoOf(process, 'node slipway.mjs', slipwayVersion),
  );
}

main().then((exitCode) => {
  process.exitCode = exitCode;
});
