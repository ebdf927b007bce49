import type { BlobStore } from '../blobs/blob-store.ts';
import type { Config } from '../config.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import { createDoctor, storesOf } from './doctor/create-doctor-http.ts';
import { createProbeTokens } from './doctor/doctor-probe.ts';
import { doctorProbeRoutes } from './doctor/doctor-probe-routes.ts';
import { createDoctorRun, type DoctorRun } from './doctor/doctor-run.ts';
import { createFileCheckJob } from './verify-stored-files.ts';

interface OperationsAreaDeps {
  config: Config;
  data: Data;
  blobs: BlobStore;
  secret: ServerSecret;
  version: string;
  now: () => number;
  log: { error(fields: object, message: string): void };
}

export interface OperationsArea {
  routes: Route[];
  jobs: Pick<JobHandlers, 'check-files'>;
  doctor: DoctorRun;
  /** Plans the next weekly check of the stored files. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The doctor, and the weekly check of the stored files. */
export function createOperationsArea(deps: OperationsAreaDeps): OperationsArea {
  const { config, data, blobs, secret, now, log } = deps;
  const fileCheck = createFileCheckJob({
    data,
    blobs,
    now,
    log,
    enabled: config.storedFiles.checkedWeekly,
    bytesPerSecond: config.storedFiles.checkBytesPerSecond,
  });
  return {
    routes: doctorProbeRoutes({ probes: createProbeTokens(secret), now }),
    jobs: fileCheck.handlers,
    doctor: createDoctorRun(
      createDoctor({
        config,
        versions: { slipway: deps.version, node: null },
        secret,
        stores: storesOf(data, blobs),
        now,
      }),
      now,
    ),
    start: fileCheck.resume,
    close: async () => fileCheck.stop(),
  };
}
