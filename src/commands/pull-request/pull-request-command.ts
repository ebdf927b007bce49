/** `slipway pull-request closed`: says so in the comment of the uploads, and can close their pages. */
import util from 'node:util';
import { draw, printable, writeJson, writeLines } from '../terminal-text.ts';
import { callApi } from '../uploader/api-request.ts';
import { findCredential } from '../uploader/credential.ts';
import { readCiFacts } from '../uploader/upload-ci-facts.ts';
import { requireDecodable, UploadError, UsageError } from '../uploader/upload-error.ts';
import type { UploadIo } from '../uploader/upload-io.ts';
import { readConnection } from '../uploader/upload-options.ts';
import type { CommentRow } from './comment-markdown.ts';
import { asRecord } from './forge.ts';
import { findForge } from './review-upload.ts';
import { markClosed } from './update-comment.ts';

const options = {
  'close-pages': { type: 'boolean' },
  owner: { type: 'string', short: 'o' },
  server: { type: 'string', short: 'u' },
  page: { type: 'string' },
  'pull-request': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const help = (command: string) => `Report to the comment of the uploads that the pull request is closed.

Usage: ${command} closed [options]

  --close-pages              close the pages of the pull request's branch, which nobody can then
                             install from; needs a key with the scope manage
  -o, --owner OWNER          the owner of the pages [SLIPWAY_OWNER]
  -u, --server URL           the server [SLIPWAY_SERVER, SLIPWAY_URL]
  --page NAME                the name of the pages (default: the branch) [SLIPWAY_PAGE]
  --pull-request NUMBER      default: from the CI service [SLIPWAY_PULL_REQUEST]
  --json                     print the closed pages as one line of JSON
  -h, --help                 show this help

GITHUB_TOKEN or GITLAB_TOKEN must be allowed to write comments. Exits with 0, also if there is no
comment; 1 on errors; 2 for a usage error.
`;

/** `argv` excludes the command's name. Resolves to the exit code. */
export async function runPullRequest(argv: readonly string[], io: UploadIo): Promise<number> {
  try {
    requireDecodable(argv);
    const { values, positionals } = parse(argv);
    if (values.help || argv.length === 0) {
      draw(io.stdout, help(io.command));
      return 0;
    }
    if (positionals.join(' ') !== 'closed') throw new UsageError('The only action is: closed.');
    return await close(values, io);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof UploadError)) throw error;
    writeLines(io.stderr, printable(error.message));
    if (error instanceof UploadError && error.hint) writeLines(io.stderr, `  ${printable(error.hint)}`);
    if (error instanceof UsageError) writeLines(io.stderr, `Try ${io.command} --help`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function parse(argv: readonly string[]) {
  try {
    return util.parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function close(values: ReturnType<typeof parse>['values'], io: UploadIo): Promise<number> {
  const { env } = io;
  const number = values['pull-request'] || env.SLIPWAY_PULL_REQUEST;
  const closePage = values['close-pages'] ? await pageCloser(values, io) : async () => false;
  const forge = await findForge(io, number);
  const rows = await markClosed(forge, closePage);
  const pages = (rows ?? []).flatMap(({ closed, pageUrl }) => (closed && pageUrl ? [pageUrl] : []));
  if (values.json) writeJson(io.stdout, { commented: rows !== null, closed_pages: pages });
  else if (rows === null) writeLines(io.stdout, `No upload has commented on this ${forge.noun}.`);
  else
    writeLines(
      io.stdout,
      `The comment says that this ${forge.noun} is closed.`,
      ...pages.map((url) => `Closed ${url}`),
    );
  return 0;
}

/**
 * Closes only pages of the owner that have the name of the branch: anyone who can edit the comment could have added the page of
 * a release.
 */
async function pageCloser(
  values: ReturnType<typeof parse>['values'],
  io: UploadIo,
): Promise<(row: CommentRow) => Promise<boolean>> {
  const { baseUrl, owner, key: source } = readConnection(values, io.env);
  const name = values.page || io.env.SLIPWAY_PAGE?.trim() || readCiFacts(io.env).branch;
  if (!name) throw new UsageError('Missing --page: the name of the pages to close.');
  const credential = await findCredential({ baseUrl, owner, quiet: true, key: source }, io);
  const key = await credential.get();
  return async ({ pageUrl }) => {
    const url = pageUrl && URL.canParse(pageUrl) ? new URL(pageUrl) : null;
    const [, page] = /\/distributions\/([0-9a-f]{40})$/.exec(url?.pathname ?? '') ?? [];
    if (!page || url?.origin !== baseUrl.origin) return false;
    const address = new URL(`api/v1/pages/${page}`, baseUrl);
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const shown = await callApi(address, { headers });
    const { app, name: pageName } = asRecord(shown.json);
    if (shown.status === 404 || asRecord(app).owner !== owner || pageName !== name) return false;
    const changed = await callApi(address, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ active: false }),
    });
    if (changed.status === 200) return true;
    const { detail, title } = asRecord(changed.json);
    throw new UploadError(`The page ${name} was not closed: ${detail ?? title ?? changed.status}`, {
      hint: 'The key needs the scope manage for this owner.',
    });
  };
}
