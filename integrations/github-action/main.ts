/** The entry file of the GitHub Action: the uploader, with inputs as the runner passes them; and the end of a pull request. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { runPullRequest } from '../../src/commands/pull-request/pull-request-command.ts';
import { runUpload } from '../../src/commands/uploader/upload-command.ts';
import type { UploadIo } from '../../src/commands/uploader/upload-io.ts';
import { createUploadIo } from '../../src/commands/uploader/uploader-host.ts';

/** Replaced with the version when the file is bundled. */
declare const slipwayVersion: string;

interface WorkflowEvent {
  action?: string;
  pull_request?: { title?: string };
  head_commit?: { message?: string };
}

/** The runner names an input `INPUT_RELEASE-NOTES`, the uploader `SLIPWAY_RELEASE_NOTES`. An input that was left empty is not set. */
function readInputs(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const [, input] = /^INPUT_(.+)$/.exec(name) ?? [];
      if (!input || !value?.trim()) return [];
      const variable = input.replaceAll('-', '_');
      return [[variable === 'GITHUB_TOKEN' ? variable : `SLIPWAY_${variable}`, value]];
    }),
  );
}

async function readEvent(path: string | undefined): Promise<WorkflowEvent> {
  return path ? JSON.parse(await readFile(path, 'utf8')) : {};
}

const firstLine = (text: string | undefined) => text?.split('\n', 1)[0] ?? '';

/** See "Workflow commands" in GitHub's documentation. */
const escapeData = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

async function main(): Promise<number> {
  const event = await readEvent(process.env.GITHUB_EVENT_PATH);
  const message = firstLine(event.pull_request?.title ?? event.head_commit?.message);
  const io = createUploadIo(process, 'slipway', slipwayVersion);
  const lines: string[] = [];
  const env: Readonly<Record<string, string | undefined>> = {
    SLIPWAY_MESSAGE: message,
    ...process.env,
    ...readInputs(process.env),
  };
  const isClosed = event.pull_request !== undefined && event.action === 'closed';
  const closed = ['closed', ...(env.SLIPWAY_CLOSE_PAGES === 'true' ? ['--close-pages'] : [])];
  const run = isClosed
    ? (own: UploadIo) => runPullRequest(closed, own)
    : (own: UploadIo) => runUpload([], own);
  const code = await run({
    ...io,
    env,
    stderr: {
      write: (text) => {
        lines.push(...text.split('\n'));
        return io.stderr.write(text);
      },
    },
  });
  // Lines that begin with `::` are commands to the runner, which contain secrets to mask.
  const reason = lines
    .filter((line) => line.trim() && !line.startsWith('::'))
    .slice(-2)
    .join('\n');
  if (code !== 0) process.stdout.write(`::error title=Slipway::${escapeData(reason)}\n`);
  return code;
}

main().then((code) => {
  process.exitCode = code;
});
