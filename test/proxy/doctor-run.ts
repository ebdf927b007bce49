/** `slipway doctor --json` on the data of a running test service, in this process. */
import type { DoctorCheck } from '../../src/operations/doctor/doctor-check.ts';
import { jsonLines, runInProcess } from '../support/run-cli.ts';
import type { TestService } from '../support/test-service.ts';

export interface DoctorRun {
  exitCode: number | null;
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
  const { code, stdout } = await runInProcess(['doctor', '--json'], environment);
  const checks = jsonLines(stdout) as unknown as DoctorCheck[];
  return { exitCode: code, checks, byId: Object.fromEntries(checks.map((check) => [check.id, check])) };
}
