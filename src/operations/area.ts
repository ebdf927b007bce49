import type { BlobStore } from '../blobs/blob-store.ts';
import type { Config } from '../config.ts';
import type { Route } from '../http/routes/route.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import { createPrivacyArea, type PrivacyArea, type PrivacyAreaDeps } from '../privacy/area.ts';
import { createDoctor, storesOf } from './doctor/create-doctor-http.ts';
import { createProbeTokens } from './doctor/doctor-probe.ts';
import { doctorProbeRoutes } from './doctor/doctor-probe-routes.ts';
import { createDoctorRun, type DoctorRun } from './doctor/doctor-run.ts';
import { createFileCheckJob } from './verify-stored-files.ts';

interface OperationsAreaDeps extends PrivacyAreaDeps {
  config: Config;
  blobs: BlobStore;
}

export interface OperationsArea extends Pick<PrivacyArea, 'plan'> {
  routes: Route[];
  jobs: PrivacyArea['jobs'] & Pick<JobHandlers, 'check-files'>;
  doctor: DoctorRun;
  /** Plans the next weekly check of the stored files. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The doctor, the weekly check of the stored files, the audit log, and personal data. */
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
  const privacy = createPrivacyArea(deps);
  return {
    routes: [...doctorProbeRoutes({ probes: createProbeTokens(secret), now }), ...privacy.routes],
    jobs: { ...fileCheck.handlers, ...privacy.jobs },
    plan: privacy.plan,
    doctor: createDoctorRun(
      createDoctor({
        config,
        versions: { slipway: deps.version, node: null },
        secret,
        stores: storesOf(data, blobs, secret),
        now,
      }),
      now,
    ),
    start: fileCheck.resume,
    close: async () => fileCheck.stop(),
  };
}
