/** Events as the API lists them and webhooks send them: `data` consists of resources of the API. */
import * as v from 'valibot';
import { keyShape } from '../../accounts/keys/key-json.ts';
import { trustedPublisherShape } from '../../accounts/trusted-publishing/trusted-publisher-json.ts';
import { appShape, buildShape } from '../../apps/app-json.ts';
import { formatTime, integerShape, textShape, timeShape } from '../../core/json-shapes.ts';
import { deviceShape } from '../../devices/device-json.ts';
import { pageShape } from '../../distributions/page-json.ts';
import type { EventType } from '../../events/events.ts';
import { feedbackShape } from '../../feedback/feedback-json.ts';
import { buildChecksShape, checkShape } from '../../insight/checks/check-json.ts';
import { personShape } from '../../projects/lists/owner-json.ts';

const deletedBuildsShape = v.pipe(
  v.object({
    revisions: v.pipe(v.array(v.number()), v.description('The first 1,000, in ascending order.')),
    count: integerShape('How many builds were deleted.'),
    by: textShape('A user name, `the retention rule`, or `the command line`.'),
    app_deleted: v.pipe(
      v.boolean(),
      v.description('True: the app was deleted with all its builds. False: they can be restored for a day.'),
    ),
  }),
  v.title('DeletedBuilds'),
);

const deletedOwnerShape = v.object({
  owner: v.object({ kind: v.picklist(['user', 'project']), name: v.string() }),
  deleted: v.object({ apps: v.number(), builds: v.number(), by: v.string() }),
});

const build = v.object({ app: appShape, build: buildShape });
const page = v.object({ ...build.entries, page: pageShape });
const upload = v.object({ ...build.entries, page: v.nullable(pageShape) });
const device = v.object({ device: deviceShape });
const member = v.object({ person: personShape });
const key = v.object({ key: keyShape });
const publisher = v.object({ trusted_publisher: trustedPublisherShape });

/** The shape of `data` of each event. */
export const eventDataShapes = {
  'build.uploaded': upload,
  'build.verified': build,
  'build.checked': v.object({ ...build.entries, checks: buildChecksShape }),
  'build.conversion_failed': build,
  'build.edited': build,
  'build.deleted': v.object({ app: appShape, deleted: deletedBuildsShape }),
  'build.restored': build,
  'page.created': page,
  'page.published': page,
  'page.rolled_back': page,
  'page.note_changed': page,
  'page.edited': page,
  'page.build_withdrawn': page,
  'page.deleted': v.object({ app: appShape, page: pageShape }),
  'feedback.created': v.object({ ...upload.entries, feedback: feedbackShape }),
  'store_rule.approaching': v.object({ ...build.entries, check: checkShape }),
  'device.registered': device,
  'device.removed': device,
  'member.added': member,
  'member.changed': member,
  'member.removed': member,
  'key.created': key,
  'key.revoked': key,
  'trusted_publisher.created': publisher,
  'trusted_publisher.changed': publisher,
  'trusted_publisher.deleted': publisher,
  'owner.deleted': deletedOwnerShape,
  test: v.object({ app: v.nullable(appShape) }),
} as const satisfies Record<EventType | 'test', v.GenericSchema>;

/** All resources that the data of an event may contain. */
export interface EventResources {
  app?: v.InferOutput<typeof appShape> | null;
  build?: v.InferOutput<typeof buildShape>;
  checks?: v.InferOutput<typeof buildChecksShape>;
  check?: v.InferOutput<typeof checkShape>;
  page?: v.InferOutput<typeof pageShape> | null;
  feedback?: v.InferOutput<typeof feedbackShape>;
  device?: v.InferOutput<typeof deviceShape>;
  person?: v.InferOutput<typeof personShape>;
  key?: v.InferOutput<typeof keyShape>;
  trusted_publisher?: v.InferOutput<typeof trustedPublisherShape>;
  owner?: v.InferOutput<typeof deletedOwnerShape>['owner'];
  deleted?: v.InferOutput<typeof deletedBuildsShape> | v.InferOutput<typeof deletedOwnerShape>['deleted'];
}

/** Selects the resources that belong to the event. */
export function eventData(type: EventType | 'test', resources: EventResources): EventResources {
  const names = Object.keys(eventDataShapes[type].entries) as (keyof EventResources)[];
  return Object.fromEntries(names.map((name) => [name, resources[name]]));
}

/** The types in lists. A deleted owner has no list. */
export const listedEventTypes = (Object.keys(eventDataShapes) as (EventType | 'test')[]).filter(
  (type) => type !== 'test' && type !== 'owner.deleted',
) as Exclude<EventType, 'owner.deleted'>[];

/** Converts `page.rolled_back` to PageRolledBack. */
const titleOf = (type: string) =>
  type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

const listedShape = (type: (typeof listedEventTypes)[number]) =>
  v.pipe(
    v.object({
      id: textShape('The same in the list and in every webhook delivery of the event.'),
      type: v.literal(type),
      timestamp: timeShape('When it happened.'),
      owner: textShape('Name of the user or Project.'),
      data: eventDataShapes[type],
    }),
    v.title(`${titleOf(type)}Event`),
  );

export const eventShape: v.GenericSchema<ReturnType<typeof eventJson>> = v.variant(
  'type',
  listedEventTypes.map(listedShape),
);

export interface EventEnvelope {
  id: string;
  type: EventType | 'test';
  /** Epoch milliseconds. */
  at: number;
  owner: string;
  data: unknown;
}

/** `type`, `timestamp` and `data` as in Standard Webhooks 1.0.0, "Payload structure". */
export const eventJson = ({ id, type, at, owner, data }: EventEnvelope) => ({
  id,
  type,
  timestamp: formatTime(at),
  owner,
  data,
});
