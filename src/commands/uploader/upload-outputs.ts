/** What an upload reports to CI: JSON, the outputs of a GitHub step, and whether `--fail-on` applies. */
import { randomBytes } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { formatBytes } from '../../core/byte-size.ts';
import { printable } from '../terminal-text.ts';
import type { CheckFinding } from './await-checks.ts';
import { UploadError } from './upload-error.ts';
import { environmentName } from './upload-inputs.ts';
import type { FailCondition } from './upload-options.ts';
import type { UploadedApp } from './upload-response.ts';

export const jsonWithOutputs = ({ json, outputs }: UploadedApp) => ({ ...json, ...outputs });

/** The names of outputs in integrations. */
export const stepOutputNames = ['build-url', 'page-url', 'qr-url', 'revision', 'size', 'size-change', 'json'];

/** Appends to a file of GitHub Actions, if its variable is set. */
export async function appendForGithub(path: string | undefined, text: string): Promise<void> {
  if (path) await appendFile(path, text).catch(unwritable(path));
}

/**
 * Appends outputs to the file in `SLIPWAY_OUTPUT`, if it is set, as GitLab and shells read variables: `SLIPWAY_REVISION=7`. The
 * JSON is longer than values of CI services may be, so it has its own file.
 */
export async function writeOutputs(path: string | undefined, uploaded: UploadedApp): Promise<void> {
  if (!path) return;
  const jsonPath = `${path}.json`;
  const lines = namedOutputs(uploaded, jsonPath).map(
    ([name, value]) => `${environmentName(name)}=${value}\n`,
  );
  await writeFile(jsonPath, `${JSON.stringify(jsonWithOutputs(uploaded))}\n`).catch(unwritable(jsonPath));
  await appendFile(path, lines.join('')).catch(unwritable(path));
}

const unwritable = (path: string) => (cause: NodeJS.ErrnoException) => {
  throw new UploadError(`${path} cannot be written: ${cause.code ?? cause.message}.`, { cause });
};

function namedOutputs({ outputs }: UploadedApp, json: string): [name: string, value: string][] {
  const values = new Map<string, unknown>(Object.entries({ ...outputs, json }));
  return stepOutputNames.map((name) => [name, String(values.get(name.replaceAll('-', '_')) ?? '')]);
}

/** Every value has a random delimiter, so that a text from a package cannot add an output. */
export function stepOutputs(uploaded: UploadedApp): string {
  return namedOutputs(uploaded, JSON.stringify(jsonWithOutputs(uploaded)))
    .map(([name, value]) => {
      const delimiter = `slipway_${randomBytes(16).toString('hex')}`;
      return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
    })
    .join('');
}

/** Returns a sentence for each condition that applies. `checks`: empty if they are not known. */
export function failures(
  conditions: readonly FailCondition[],
  { outputs }: UploadedApp,
  checks: readonly CheckFinding[],
): string[] {
  return conditions.flatMap((condition) => {
    if (condition.name === 'checks')
      return checks
        .filter(({ names, state }) => names.includes(condition.check) && state === 'failed')
        .map(({ line }) => line);
    if (condition.name === 'install')
      return outputs.install_problems.map(
        (problem) => `Nobody can install this build: ${printable(problem)}`,
      );
    const { size, size_change: change } = outputs;
    if (size === null || change === null) return [];
    const before = size - change;
    const limit = condition.percent === null ? condition.bytes : (before * condition.percent) / 100;
    if (limit === null || change <= limit) return [];
    return [
      `The build grew by ${formatBytes(change)} (from ${formatBytes(before)} to ${formatBytes(size)}), more than ${condition.most}.`,
    ];
  });
}
