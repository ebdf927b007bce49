/** Reports an upload to its pull request and to the summary of its job. */
import { readFile } from 'node:fs/promises';
import { printable } from '../terminal-text.ts';
import { textAt } from '../uploader/api-request.ts';
import { type ChecksOutcome, countFindings, findingLines } from '../uploader/await-checks.ts';
import { UploadError } from '../uploader/upload-error.ts';
import type { UploadOptions } from '../uploader/upload-options.ts';
import type { UploadedApp } from '../uploader/upload-response.ts';
import { type CommentRow, newRow, rowsTable } from './comment-markdown.ts';
import { asRecord, type CommitStatus, type Forge, type ForgeIo, statusNameOf } from './forge.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { putRow } from './update-comment.ts';

/** Throws `UploadError` if this is no job of a pull request, or there is no token. `number`: of the option. */
export async function findForge(io: ForgeIo, number: string | undefined): Promise<Forge> {
  const { env } = io;
  if (env.GITLAB_CI || env.CI_MERGE_REQUEST_IID) return gitlab(io, number);
  if (!env.GITHUB_REPOSITORY)
    throw new UploadError('This is neither a job of GitHub nor of GitLab.', {
      hint: 'For GitHub, set GITHUB_REPOSITORY, GITHUB_TOKEN and SLIPWAY_PULL_REQUEST.',
    });
  return github(io, number, env.GITHUB_EVENT_PATH ? await readEvent(env.GITHUB_EVENT_PATH) : null);
}

async function readEvent(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

const dayMs = 86_400_000;
const soonDays = 30;

interface Reporting {
  warn: (error: unknown) => void;
  io: ForgeIo;
}

/** Says that the checks are not done yet, if a commit status is wanted. */
export async function reportPending(
  uploaded: UploadedApp,
  options: UploadOptions,
  { warn, io }: Reporting,
): Promise<void> {
  if (options.status)
    await attempt('No commit status', warn, () =>
      setStatus(
        uploaded,
        options,
        { state: 'pending', description: 'Waiting for the checks', url: null },
        io,
      ),
    );
}

/**
 * Writes the comment and the commit status if they are wanted. `failed`: what `--fail-on` says. The status fails with it, and if a
 * check failed that nobody has accepted.
 */
export async function reviewUpload(
  uploaded: UploadedApp,
  options: UploadOptions,
  { checks, failed, warn, io }: Reporting & { checks: ChecksOutcome | null; failed: readonly string[] },
): Promise<void> {
  if (options.comment)
    await attempt('No comment on the pull request', warn, async () => {
      const forge = await findForge(io, options.pullRequest);
      await putRow(forge, rowOfUpload(uploaded, options, { checks, headCommit: forge.commit }), io);
    });
  if (options.status)
    await attempt('No commit status', warn, async () => {
      const findings = checks?.findings ?? [];
      const failedCheck = findings.find(({ state }) => state === 'failed');
      const reason = failed[0] ?? failedCheck?.line;
      const count = countFindings(findings);
      const success = count === null ? uploaded.summary : `${uploaded.summary}. Checks: ${count}`;
      const state = reason ? 'failed' : 'success';
      const { build_url: build } = uploaded.outputs;
      const url = failedCheck && build ? `${build}/checks` : null;
      await setStatus(uploaded, options, { state, description: reason ?? success, url }, io);
    });
}

const attempt = async (what: string, warn: Reporting['warn'], work: () => Promise<void>) =>
  work().catch((error: unknown) => {
    if (!(error instanceof UploadError)) throw error;
    const { hint } = error;
    warn(new UploadError(`${what}: ${error.message}`, hint === null ? {} : { hint }));
  });

async function setStatus(
  { json, outputs }: UploadedApp,
  { pullRequest }: UploadOptions,
  { url, ...status }: Omit<CommitStatus, 'name'>,
  io: ForgeIo,
): Promise<void> {
  const results = asRecord(json.results);
  const name = statusNameOf(textAt(results, 'os_name') ?? '', textAt(results, 'package_name') ?? '');
  const forge = await findForge(io, pullRequest);
  await forge.setStatus({ ...status, name, url: url ?? outputs.page_url ?? outputs.build_url });
}

/** The table of the upload, for the summary of a job. */
export const summaryOf = (uploaded: UploadedApp, options: UploadOptions, checks: ChecksOutcome | null) =>
  `${rowsTable([rowOfUpload(uploaded, options, { checks, headCommit: null })])}\n`;

function rowOfUpload(
  uploaded: UploadedApp,
  options: UploadOptions,
  { checks, headCommit }: { checks: ChecksOutcome | null; headCommit: string | null },
): CommentRow {
  const { outputs, json, warnings } = uploaded;
  const results = asRecord(json.results);
  const page = asRecord(results.distribution);
  const name = textAt(results, 'name') ?? textAt(results, 'package_name') ?? '';
  const platform = textAt(results, 'os_name') ?? '';
  const code = textAt(results, 'version_code');
  const expiresAt = Date.parse(textAt(results, 'profile_expires_at') ?? '');
  const days = Math.floor((expiresAt - Date.now()) / dayMs);
  const problems = outputs.install_problems.map(printable);
  const key = [options.baseUrl.origin, options.owner, platform, results.package_name, page.access_key ?? ''];
  return newRow({
    key: key.join(' '),
    platform,
    app: name,
    version: [textAt(results, 'version_name'), code && `(${code})`].filter(Boolean).join(' '),
    revision: outputs.revision ?? 0,
    page: textAt(page, 'title'),
    buildUrl: outputs.build_url,
    pageUrl: outputs.page_url,
    qrUrl: outputs.qr_url,
    size: outputs.size,
    sizeChange: outputs.size_change,
    problems,
    checks: checks?.findings ? countFindings(checks.findings) : null,
    findings: findingLines(checks?.findings ?? []),
    notes: [
      ...warnings.filter((warning) => !problems.includes(warning)),
      ...(days >= 0 && days <= soonDays
        ? [`The provisioning profile expires on ${new Date(expiresAt).toISOString().slice(0, 10)}.`]
        : []),
    ],
    commit: headCommit ?? options.fields.find(({ name: field }) => field === 'commit')?.value ?? null,
    closed: false,
  });
}
