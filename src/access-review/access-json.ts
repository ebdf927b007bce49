/** The review as JSON and as lines of CSV. */
import * as v from 'valibot';
import { csvLine } from '../core/csv.ts';
import { formatNullableTime, formatTime, integerShape, textShape, timeShape } from '../core/json-shapes.ts';
import { workspaceOf } from '../owners/owner.ts';
import {
  type Belongings,
  type Credential,
  credentialKinds,
  type PersonPlace,
  type ReviewedPerson,
  type Way,
  waysTo,
} from './access-review.ts';

const nullableTime = (description: string) => v.nullable(timeShape(description));
const name = v.nullable(v.string());

const wayShape = v.object({
  kind: v.picklist([
    'account',
    'team',
    'group',
    'group-manager',
    'app',
    'workspace-owner',
    'workspace-member',
  ]),
  name,
  since: nullableTime('Null if not recorded.'),
  added_by: v.nullable(
    textShape('The inviter, for people who accepted an invitation. Null if not recorded.'),
  ),
  rules: v.pipe(
    v.array(v.object({ directory_group: v.string(), created_by: v.string(), created_at: timeShape() })),
    v.description('Rules of a directory that added the person.'),
  ),
});
const placeFields = { kind: v.picklist(['user', 'project', 'workspace']), name: v.string() };
const personFields = {
  name: v.string(),
  email: name,
  administrator: v.pipe(
    v.boolean(),
    v.description('Administrators can change every team, but see no apps without one.'),
  ),
  disabled: v.boolean(),
  last_used: v.object({
    sign_in: nullableTime('Last request with a session.'),
    key_use: nullableTime('Last request with one of their API keys.'),
    visit: nullableTime('When they last opened a page of an app here.'),
    install: nullableTime('When they last installed a build from here.'),
  }),
};

/** One item of the list. */
export const personAccessShape = v.pipe(
  v.object({
    ...personFields,
    places: v.array(
      v.object({
        ...placeFields,
        workspace: name,
        ways: v.array(wayShape),
        uploads: v.boolean(),
        apps: integerShape('How many apps they see.'),
        pages: integerShape('How many pages admit them. Pages may also require an allowed network.'),
      }),
    ),
  }),
  v.title('PersonAccess'),
);

const chainShape = v.array(wayShape);
const credentialFields = {
  kind: v.picklist(credentialKinds),
  id: v.string(),
  name: v.string(),
  place: v.object(placeFields),
  created_by: v.nullable(textShape('Null if not recorded.')),
  since: nullableTime('Null if not recorded.'),
  last_used: nullableTime('Null if never used or not recorded.'),
  expires_at: nullableTime('Null if it never expires.'),
  details: v.nullable(
    textShape(
      'Scopes of a key, provider of a trusted publisher, team of an invitation, `unlisted`, `passcode` or `closed` for a page or the secret of an app.',
    ),
  ),
};
export const credentialShape = v.pipe(v.object(credentialFields), v.title('AccessCredential'));

const made = v.object({ id: v.string(), name: v.string(), owner: v.string(), since: timeShape() });

/** Everything that one person can reach, and why. */
export const personReportShape = v.pipe(
  v.object({
    ...personFields,
    places: v.array(
      v.object({
        ...placeFields,
        workspace: name,
        ways: v.array(wayShape),
        uploads: v.boolean(),
        apps: v.array(v.object({ platform: v.string(), package_name: v.string() })),
        pages: v.array(
          v.object({
            name: v.string(),
            platform: v.string(),
            package_name: v.string(),
            access: v.string(),
            networks: v.array(v.string()),
            through: v.pipe(chainShape, v.description('Why the page admits the person.')),
          }),
        ),
      }),
    ),
    sessions: integerShape('Active sessions.'),
    credentials: v.pipe(
      v.array(v.object(credentialFields)),
      v.description(
        'Keys that they own or created, trusted publishers that they added, and invitations that they can accept.',
      ),
    ),
    devices: v.array(made),
    webhooks: v.pipe(v.array(made), v.description('Webhooks that they created.')),
    mailed_pages: v.pipe(
      v.array(v.object({ name: v.string(), package_name: v.string(), at: timeShape() })),
      v.description('Pages whose address was emailed to them.'),
    ),
    last_owner_of: v.array(v.string()),
  }),
  v.title('PersonAccessReport'),
);

const wayJson = ({ kind, name: named, since, addedBy, rules }: Way): v.InferOutput<typeof wayShape> => ({
  kind,
  name: named,
  since: formatNullableTime(since),
  added_by: addedBy,
  rules: rules.map((rule) => ({
    directory_group: rule.directoryGroup,
    created_by: rule.createdBy,
    created_at: formatTime(rule.createdAt),
  })),
});

const placeJson = ({ place, ways, reach }: PersonPlace) => ({
  kind: place.kind,
  name: place.name,
  workspace: place.kind === 'project' ? (place.workspace?.name ?? null) : null,
  ways: ways.map(wayJson),
  uploads: reach.uploads,
});

const personJson = ({ user, disabled, lastUsed }: ReviewedPerson) => ({
  name: user.name,
  email: user.email,
  administrator: user.administrator,
  disabled,
  last_used: {
    sign_in: formatNullableTime(lastUsed.signIn),
    key_use: formatNullableTime(lastUsed.key),
    visit: formatNullableTime(lastUsed.visit),
    install: formatNullableTime(lastUsed.install),
  },
});

export const personAccessJson = (person: ReviewedPerson): v.InferOutput<typeof personAccessShape> => ({
  ...personJson(person),
  places: person.places.map((one) => ({
    ...placeJson(one),
    apps: one.reach.apps.length,
    pages: one.reach.pages.length,
  })),
});

export const credentialJson = (one: Credential): v.InferOutput<typeof credentialShape> => ({
  kind: one.kind,
  id: one.id,
  name: one.name,
  place: one.place,
  created_by: one.createdBy,
  since: formatNullableTime(one.since),
  last_used: formatNullableTime(one.lastUsedAt),
  expires_at: formatNullableTime(one.expiresAt),
  details: one.details,
});

const madeJson = ({ since, ...one }: Belongings['devices'][number]) => ({ ...one, since: formatTime(since) });

const placesJson = (person: ReviewedPerson): v.InferOutput<typeof personReportShape>['places'] =>
  person.places.map((one) => ({
    ...placeJson(one),
    apps: one.reach.apps.map((app) => ({ platform: app.platform, package_name: app.packageName })),
    pages: one.reach.pages.map((page) => ({
      name: page.name,
      platform: page.app.platform,
      package_name: page.app.packageName,
      access: page.access,
      networks: [...page.networks],
      through: waysTo(page, one).map(wayJson),
    })),
  }));

export const personReportJson = (
  person: ReviewedPerson,
  belongings: Belongings,
): v.InferOutput<typeof personReportShape> => ({
  ...personJson(person),
  places: placesJson(person),
  sessions: belongings.sessions,
  credentials: belongings.credentials.map(credentialJson),
  devices: belongings.devices.map(madeJson),
  webhooks: belongings.webhooks.map(madeJson),
  mailed_pages: belongings.mailedPages.map(({ packageName, at, ...page }) => ({
    ...page,
    package_name: packageName,
    at: formatTime(at),
  })),
  last_owner_of: [...belongings.lastOwnerOf],
});

export const personLine = (person: ReviewedPerson) =>
  `${JSON.stringify({ type: 'person', ...personJson(person), places: placesJson(person) })}\n`;
export const credentialLine = (one: Credential) =>
  `${JSON.stringify({ type: 'credential', ...credentialJson(one) })}\n`;

export const csvHead = csvLine([
  ...[
    'holder',
    'name',
    'email',
    'state',
    'place',
    'through',
    'since',
    'added_by',
    'rules',
    'uploads',
    'apps',
    'pages',
  ],
  ...['last_sign_in', 'last_key_use', 'last_visit', 'last_install', 'expires_at'],
]);

const notRecorded = 'not recorded';
const known = (time: number | null) => formatNullableTime(time) ?? notRecorded;

/** One line for each way into each place. */
export const personCsv = ({ user, disabled, lastUsed, places }: ReviewedPerson): string =>
  places
    .flatMap(({ place, ways, reach }) =>
      ways.map((way) =>
        csvLine([
          ...['person', user.name, user.email ?? '', disabled ? 'disabled' : 'active', placeName(place)],
          way.name === null ? way.kind : `${way.kind}: ${way.name}`,
          ...[known(way.since), way.addedBy ?? notRecorded],
          way.rules
            .map((rule) => `${rule.directoryGroup} (${rule.createdBy}, ${formatTime(rule.createdAt)})`)
            .join('; '),
          ...[String(reach.uploads), String(reach.apps.length), String(reach.pages.length)],
          ...[lastUsed.signIn, lastUsed.key, lastUsed.visit, lastUsed.install].map(known),
          '',
        ]),
      ),
    )
    .join('');

const placeName = (place: PersonPlace['place']) => {
  const workspace = place.kind === 'project' ? workspaceOf(place) : null;
  return workspace && 'name' in workspace ? `${workspace.name}/${place.name}` : place.name;
};

export const credentialCsv = (one: Credential): string =>
  csvLine([
    ...[
      one.kind,
      one.name,
      '',
      one.details === 'closed' ? 'closed' : 'active',
      one.place.name,
      one.details ?? '',
    ],
    ...[known(one.since), one.createdBy ?? notRecorded, '', '', '', ''],
    ...['', known(one.lastUsedAt), '', '', formatNullableTime(one.expiresAt) ?? ''],
  ]);
