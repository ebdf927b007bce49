/** What an upload reports to CI: JSON, the outputs of a GitHub step, and whether `--fail-on` applies. */
import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { formatBytes } from '../../core/byte-size.ts';
import { printable } from '../terminal-text.ts';
import { UploadError } from './upload-error.ts';
import type { FailCondition } from './upload-options.ts';
import type { UploadedApp } from './upload-response.ts';

export const jsonWithOutputs = ({ json, outputs }: UploadedApp) => ({ ...json, ...outputs });

/** The names of outputs in integrations. */
export const stepOutputNames = ['build-url', 'page-url', 'qr-url', 'revision', 'size', 'size-change', 'json'];

/** Appends to a file of GitHub Actions, if its variable is set. */
export async function appendForGithub(path: string | undefined, text: string): Promise<void> {
  if (!path) return;
  await appendFile(path, text).catch((cause: NodeJS.ErrnoException) => {
    throw new UploadError(`${path} cannot be written: ${cause.code ?? cause.message}.`, { cause });
  });
}

/** Every value has a random delimiter, so that a text from a package cannot add an output. */
export function stepOutputs(uploaded: UploadedApp): string {
  const values = { ...uploaded.outputs, json: JSON.stringify(jsonWithOutputs(uploaded)) };
  const byName = new Map(Object.entries(values).map(([name, value]) => [name.replaceAll('_', '-'), value]));
  return stepOutputNames
    .map((name) => {
      const delimiter = `slipway_${randomBytes(16).toString('hex')}`;
      return `${name}<<${delimiter}\n${byName.get(name) ?? ''}\n${delimiter}\n`;
    })
    .join('');
}

/** Returns a sentence for each condition that applies. */
export function failures(conditions: readonly FailCondition[], { outputs }: UploadedApp): string[] {
  return conditions.flatMap((condition) => {
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
