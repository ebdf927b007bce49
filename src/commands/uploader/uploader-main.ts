/** The entry file of the single-file program with `upload` and `simulate`, which servers offer at `/cli/slipway.mjs`. */
import process from 'node:process';
import { runPullRequest } from '../pull-request/pull-request-command.ts';
import { runSimulate } from '../simulate/simulate-command.ts';
import { createSimulateIo } from '../simulate/simulate-host.ts';
import { runUpload } from './upload-command.ts';
import { createUploadIo } from './uploader-host.ts';

/** Replaced with the version when the file is bundled. */
declare const slipwayVersion: string;

const minNodeMajor = 20;

function ignoreBrokenPipe(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
}

/** All imports must also load on older versions of Node, so that the message about the required version is shown. */
function main(): Promise<number> {
  const [major = '0'] = process.versions.node.split('.');
  if (Number(major) < minNodeMajor) {
    process.stderr.write(
      `Slipway's uploader needs Node ${minNodeMajor} or newer; this is ${process.version}.\n`,
    );
    return Promise.resolve(2);
  }
  // If the reader of the output ends, the work continues and determines the exit code.
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreBrokenPipe);
  const [first, ...rest] = process.argv.slice(2);
  if (first === 'simulate') return runSimulate(rest, createSimulateIo(process, 'node slipway.mjs simulate'));
  if (first === 'pull-request')
    return runPullRequest(rest, createUploadIo(process, 'node slipway.mjs pull-request', slipwayVersion));
  // In CI, all inputs of `upload` can come from the environment.
  const argv = first === 'upload' ? rest : first === undefined ? ['--help'] : process.argv.slice(2);
  return runUpload(argv, createUploadIo(process, 'node slipway.mjs', slipwayVersion));
}

main().then((exitCode) => {
  process.exitCode = exitCode;
});
