/** Distribution pages as the API and webhooks show them. */
import * as v from 'valibot';
import type { App } from '../apps/app.ts';
import { distributionPath } from '../apps/app-paths.ts';
import { type PageState, pageStates } from '../apps/distributions/page-state.ts';
import { formatTime, integerShape, textShape, timeShape } from '../core/json-shapes.ts';
import { absolute } from '../owners/owner-paths.ts';
import {
  type DistributionPage,
  type DistributionUpdate,
  pageSettingShapes,
  pageSettingsJson,
} from './distribution-page.ts';

/** Named one by one where other fields come between them. */
const { name, active, access, expires_at, max_installs, ...others } = pageSettingShapes;

export const pageStateShape = v.pipe(
  v.picklist(pageStates),
  v.description(
    'What decides who can install now, as Slipway’s pages show it. `closed`, `expired`, `no_installs_left`, `not_yet` (the APK of an app bundle is not ready): nobody. `networks`: only people on one of `networks`; `groups`, `members`, `passcode`: as `access`; `open`: everyone with the link.',
  ),
);

export const pageShape = v.pipe(
  v.object({
    key: textShape('The last part of the address: 40 hexadecimal digits.'),
    name,
    url: v.string(),
    qr_url: textShape('A PNG with a QR code of the address.'),
    app: v.object({
      owner: v.string(),
      platform: v.picklist(['android', 'ios']),
      package_name: v.string(),
    }),
    state: pageStateShape,
    revision: integerShape('The build that the page serves.'),
    release_note: textShape('Shown to testers with the build.'),
    active,
    access,
    groups: v.pipe(v.array(v.string()), v.description('Names of groups of the owner.')),
    has_passcode: v.boolean(),
    expires_at,
    max_installs,
    installs: integerShape('Counted towards `max_installs`.'),
    ...others,
    created_at: timeShape(),
    updated_at: timeShape('When the page last got another build.'),
  }),
  v.title('Page'),
);
export type PageJson = v.InferOutput<typeof pageShape>;

export const pageQrAddress = (accessKey: string, origin: string) =>
  absolute(origin, `/qr?data=${encodeURIComponent(absolute(origin, distributionPath(accessKey)))}`);

export function pageJson(
  app: App,
  page: DistributionPage,
  {
    state,
    revision,
    groups,
    origin,
  }: { state: PageState; revision: number; groups: string[]; origin: string },
): PageJson {
  const url = absolute(origin, distributionPath(page.accessKey));
  return {
    key: page.accessKey,
    url,
    qr_url: pageQrAddress(page.accessKey, origin),
    app: { owner: app.owner.name, platform: app.platform, package_name: app.packageName },
    state,
    revision,
    release_note: page.releaseNote,
    ...pageSettingsJson(page),
    groups,
    has_passcode: page.passcodeHash !== null,
    installs: page.installs,
    created_at: formatTime(page.createdAt),
    updated_at: formatTime(page.updatedAt),
  };
}

export const historyEntryShape = v.pipe(
  v.object({
    revision: v.number(),
    version_name: v.nullable(v.string()),
    version_code: v.string(),
    release_note: v.string(),
    withdrawn: v.pipe(v.boolean(), v.description('Whether testers can no longer choose the build.')),
    published_at: timeShape(),
  }),
  v.title('PageHistoryEntry'),
);

export const historyEntryJson = (update: DistributionUpdate): v.InferOutput<typeof historyEntryShape> => ({
  revision: update.revision,
  version_name: update.versionName,
  version_code: update.versionCode,
  release_note: update.releaseNote,
  withdrawn: update.withdrawn,
  published_at: formatTime(update.createdAt),
});
