/** `slipway doctor`: the checks of the diagnostics page, run in a terminal from outside the server. */
import { stat } from 'node:fs/promises';
import { buildQueries } from '../apps/builds/build-queries.ts';
import { checkAuditStatus } from '../audit/audit-stream.ts';
import { openBlobStore } from '../blobs/open-blob-store.ts';
import { claimQueries } from '../claims/claim-queries.ts';
import type { Config } from '../config.ts';
import { findSecret } from '../core/secret.ts';
import { version } from '../core/version.ts';
import type { Data } from '../db/data.ts';
import { createDoctor, type DoctorOf } from '../operations/doctor/create-doctor-http.ts';
import { type CheckState, type DoctorCheck, hasProblem } from '../operations/doctor/doctor-check.ts';
import { doctorQueries } from '../operations/doctor/doctor-queries.ts';
import { doctorSummary } from '../operations/doctor/doctor-summary.ts';
import { checkFiles } from '../operations/verify-stored-files.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import type { CommandIo } from './command-io.ts';
import { draw, printable, wantsColor, writeJson, writeLines } from './terminal-text.ts';
import { openExistingData, readInstalledConfig } from './with-data.ts';

export interface DoctorOptions {
  json?: boolean;
  /** Whether to read every stored file. */
  files?: boolean;
  /** In bytes per second. */
  rate?: number;
}

/** Resolves to the exit code: 1 if a problem was found. Creates nothing, not even the data folder. */
export async function runDoctorCommand(io: CommandIo, options: DoctorOptions): Promise<number> {
  const config = await readInstalledConfig(io);
  const showsProgress = !options.json && io.stderr.isTTY;
  if (options.files) await verifyFiles(io, config, options);
  if (showsProgress) writeLines(io.stderr, 'Running the checks. This takes up to 30 seconds …');
  const checks = await createDoctor(await createDoctorOptions(config, io.host.versions.node))();
  if (options.json) for (const check of checks) writeJson(io.stdout, check);
  else draw(io.stdout, report(io, checks));
  return hasProblem(checks) ? 1 : 0;
}

/** Marks damaged files, which the doctor then reports. */
async function verifyFiles(io: CommandIo, config: Config, options: DoctorOptions): Promise<void> {
  const { data, close } = await openExistingData(config);
  try {
    const { files, damaged } = await checkFiles({
      data,
      blobs: await openBlobStore(config.blobs),
      bytesPerSecond: options.rate ?? config.storedFiles.checkBytesPerSecond,
      onDamaged: ({ key, reason, buildId }) =>
        writeLines(io.stderr, `${key}${buildId ? ` (build ${buildId})` : ''}: ${reason}`),
    });
    writeLines(io.stderr, `${files} files checked, ${damaged} damaged.`);
  } finally {
    await close();
  }
}

async function createDoctorOptions(config: Config, node: string): Promise<DoctorOf> {
  const folder = await stat(config.dataFolder).catch(() => null);
  const secret = await findSecret(config);
  return {
    config,
    versions: { slipway: version(), node },
    secret,
    stores: folder && {
      askDatabase: () => queryData(config, (data) => doctorQueries(data).clock()),
      listNodes: () => queryData(config, (data) => claimQueries(data).listNodes()),
      askFileStore: async () => (await openBlobStore(config.blobs)).check(),
      countWrongTotals: () => queryData(config, (data) => quotaQueries(data).countWrongTotals()),
      askAudit: () => queryData(config, (data) => checkAuditStatus(data, secret)),
      countDamaged: () => queryData(config, (data) => buildQueries(data).countDamaged()),
    },
    now: Date.now,
  };
}

async function queryData<Answer>(config: Config, query: (data: Data) => Promise<Answer>): Promise<Answer> {
  const { data, close } = await openExistingData(config);
  try {
    return await query(data);
  } finally {
    await close();
  }
}

const marks: Record<CheckState, { sign: string; color: number }> = {
  ok: { sign: '✓', color: 32 },
  warning: { sign: '!', color: 33 },
  problem: { sign: '✗', color: 31 },
  skipped: { sign: '–', color: 2 },
};
const widestText = 100;

/** Formats one line per check, wrapped to the terminal, with the advice below. */
function report(io: CommandIo, checks: readonly DoctorCheck[]): string {
  const { environment, stdout } = io;
  const color = wantsColor(environment, stdout.isTTY ?? false);
  const painted = (code: number, text: string) => (color ? `\x1b[${code}m${text}\x1b[0m` : text);
  const titleWidth = Math.max(...checks.map(({ title }) => title.length));
  const indent = titleWidth + 6;
  const width = Math.max(Math.min(stdout.columns ?? widestText, widestText) - indent, 30);
  const lines = checks.flatMap(({ title, state, found, advice }) => {
    const { sign, color: code } = marks[state];
    const [first = '', ...rest] = wrapped(printable(found), width);
    const head = `  ${painted(code, sign)} ${title.padEnd(titleWidth)}  ${first}`;
    const todo = advice === null ? [] : wrapped(`→ ${printable(advice)}`, width);
    const below = [...rest, ...todo.map((line) => painted(1, line))];
    return [head, ...below.map((line) => `${' '.repeat(indent)}${line}`)];
  });
  return `\n${lines.join('\n')}\n\n${doctorSummary(checks)}\n`;
}

/** Breaks text at spaces into lines of at most `width` characters; a longer word gets its own line. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
