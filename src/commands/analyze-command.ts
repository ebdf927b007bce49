/** `slipway analyze`: prints what the analyzer finds in packages, or has the server analyze earlier builds. */

import { analysisQueries } from '../insight/analysis-queries.ts';
import { planAnalyses } from '../insight/analyze-builds.ts';
import { analyzerVersion } from '../packages/analysis/analysis.ts';
import { analyzePackage } from '../packages/analysis/analyze-package.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import { type CommandIo, print } from './command-io.ts';
import { writeJson } from './terminal-text.ts';
import { UsageError } from './uploader/upload-error.ts';
import { withData } from './with-data.ts';

/** Resolves to the exit code: 1 if a file could not be analyzed. */
export async function runAnalyze(
  io: CommandIo,
  files: readonly string[],
  options: { all?: boolean; json?: boolean },
): Promise<number> {
  if ((options.all ?? false) === files.length > 0)
    throw new UsageError('analyze needs either files or --all');
  return options.all ? analyzeAll(io, options.json ?? false) : analyzeFiles(io, files);
}

async function analyzeAll(io: CommandIo, json: boolean): Promise<number> {
  await withData(io, async ({ data, now }) => {
    const builds = await analysisQueries(data).countOutdated(analyzerVersion);
    if (builds > 0) await planAnalyses(data, now());
    const sentence =
      builds > 0
        ? `The server analyzes ${builds} ${builds === 1 ? 'build' : 'builds'} in the background.`
        : 'All builds are analyzed.';
    print(io, json, { builds, analyzer_version: analyzerVersion }, sentence);
  });
  return 0;
}

/** In this process, because the files belong to the person who runs it. */
async function analyzeFiles(io: CommandIo, files: readonly string[]): Promise<number> {
  let exitCode = 0;
  for (const file of files) {
    try {
      writeJson(io.stdout, { file, ...(await analyzePackage(file)) });
    } catch (error) {
      if (!(error instanceof UnreadablePackage) && !(error instanceof Error && 'code' in error)) throw error;
      exitCode = 1;
      writeJson(io.stdout, { file, error: error.message });
    }
  }
  return exitCode;
}
