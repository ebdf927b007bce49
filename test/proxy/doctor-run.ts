/** `slipway doctor --json` on the data of a running test service, in this process. */
import { PassThrough } from 'node:stream';
import { runCommandLine } from '../../src/commands/command-line.ts';
import type { DoctorCheck } from '../../src/operations/doctor/doctor-check.ts';
import { jsonLines } from '../support/run-cli.ts';
import type { TestService } from '../support/test-service.ts';

export interface DoctorRun {
  exitCode: number;
  checks: DoctorCheck[];
  /** The checks by their id. */
  byId: Record<string, DoctorCheck | undefined>;
}

export async function doctorIn(slipway: TestService, settings: Record<string, string>): Promise<DoctorRun> {
  const { config } = slipway;
  const database = config.database.kind === 'sqlite' ? `sqlite:${config.database.path}` : config.database.url;
  const environment = {
    SLIPWAY_DATA_DIR: config.dataFolder,
    SLIPWAY_DATABASE_URL: database,
    SLIPWAY_MAX_UPLOAD: String(config.limits.maxUploadBytes),
    ...settings,
  };
  const { exitCode, out } = await runInProcess(['doctor', '--json'], environment);
  const checks = jsonLines(out) as unknown as DoctorCheck[];
  return { exitCode, checks, byId: Object.fromEntries(checks.map((check) => [check.id, check])) };
}

export async function runInProcess(
  argv: readonly string[],
  environment: Record<string, string>,
): Promise<{ exitCode: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const exitCode = await runCommandLine(argv, {
    environment,
    stdin: new PassThrough(),
    stdout,
    stderr,
    host: process,
  });
  return { exitCode, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
