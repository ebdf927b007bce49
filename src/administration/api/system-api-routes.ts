/** The state of the installation in `/api/v1`: the overview, and the doctor. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { formatTime, integerShape, textShape, timeShape } from '../../core/json-shapes.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { DoctorCheck } from '../../operations/doctor/doctor-check.ts';
import type { DoctorRun } from '../../operations/doctor/doctor-run.ts';
import { attentionItemsOf, type Overview } from '../administration-overview.ts';

const needs = {
  deadWork: 'failed_jobs',
  deadMail: 'failed_mail',
  lateWork: 'late_jobs',
  lowDisk: 'low_disk',
  problems: 'doctor_problems',
} as const;

const counted = (what: string, countedTo: number) => integerShape(`${what}, counted up to ${countedTo + 1}.`);

const statusShape = (countedTo: number) =>
  v.pipe(
    v.object({
      version: v.string(),
      node_version: v.nullable(v.string()),
      started_at: timeShape('When the node that answers was started.'),
      database: v.object({
        dialect: v.picklist(['sqlite', 'postgres']),
        version: v.string(),
        schema: v.nullable(textShape('The latest migration.')),
      }),
      public_url: v.nullable(v.string()),
      can_send_mail: v.boolean(),
      people: v.number(),
      projects: v.number(),
      workspaces: v.number(),
      apps: v.number(),
      builds: v.number(),
      stored_bytes: integerShape('Packages and simulator builds, without deleted ones.'),
      free_bytes: v.nullable(integerShape('On the disk with the files; null in an S3 bucket.')),
      jobs: v.object({
        waiting: counted('Due', countedTo),
        late: counted('Due for five minutes or longer', countedTo),
        failing: counted('Will be retried', countedTo),
        failed: counted('No longer retried', countedTo),
      }),
      mail: v.object({ waiting: counted('Waiting', countedTo), failed: counted('Failed', countedTo) }),
      attention: v.pipe(v.array(v.picklist(Object.values(needs))), v.description('What needs attention.')),
    }),
    v.title('Status'),
  );

const checkShape = v.pipe(
  v.object({
    id: v.string(),
    title: v.string(),
    state: v.pipe(
      v.picklist(['ok', 'warning', 'problem', 'skipped']),
      v.description('`problem`: users are affected. `skipped`: could not be checked.'),
    ),
    found: v.string(),
    advice: v.nullable(v.string()),
  }),
  v.title('DoctorCheck'),
);

/** `readOverview`: see `administration/administration-overview.ts`. */
export function systemApiRoutes(deps: {
  access: RouteAccess;
  doctor: DoctorRun;
  countedTo: number;
  readOverview: () => Promise<Overview>;
}): Route[] {
  const answer = statusShape(deps.countedTo);
  const shared = {
    tag: 'Administration',
    access: deps.access.byUserKey(deps.access.administrator),
    keyScope: 'admin',
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/v1/admin/status',
      operationId: 'getStatus',
      summary: 'Show versions, storage, jobs and what needs attention',
      answer,
      handle: async () => json(statusJson(await deps.readOverview())),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/v1/admin/doctor/run',
      operationId: 'runDoctor',
      summary: 'Run the doctor',
      description: 'Takes up to 30 seconds. Stores nothing and sends no email.',
      json: {},
      answer: v.object({ checks: v.array(checkShape) }),
      handle: async () => json({ checks: (await deps.doctor.run()).map(checkJson) }),
    }),
  ];
}

const checkJson = ({ id, title, state, found, advice }: DoctorCheck): v.InferOutput<typeof checkShape> => ({
  id,
  title,
  state,
  found,
  advice,
});

function statusJson(overview: Overview): v.InferOutput<ReturnType<typeof statusShape>> {
  const { database, counts, stored, work, mail } = overview;
  return {
    version: overview.version,
    node_version: overview.nodeVersion,
    started_at: formatTime(overview.startedAt),
    database: {
      dialect: database.dialect,
      version: database.serverVersion,
      schema: database.schema,
    },
    public_url: overview.publicUrl,
    can_send_mail: overview.canSendMail,
    ...counts,
    apps: stored.apps,
    builds: stored.builds,
    stored_bytes: stored.bytes,
    free_bytes: overview.disk?.freeBytes ?? null,
    jobs: { waiting: work.waiting, late: work.late, failing: work.failing, failed: work.dead },
    mail: { waiting: mail.waiting, failed: mail.dead },
    attention: attentionItemsOf(overview).map((need) => needs[need]),
  };
}
