/** The update check: an app asks its page whether there is a newer build. */
import * as v from 'valibot';
import { type Build, installedBytes } from '../../apps/app.ts';
import { distributionPath } from '../../apps/app-paths.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { InputInvalid, NotFound } from '../../core/errors.ts';
import { formatTime, integerShape, textShape, timeShape } from '../../core/json-shapes.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { absolute } from '../../owners/owner-paths.ts';
import { createOpenPageAccess, type OpenPageDeps } from '../access/open-page-access-http.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { buildBlockers, pageBlockers } from '../install/install-blockers.ts';
import { installPath } from '../page-paths.ts';
import { decideUpdate, type UpdateReason, updateReasons } from './update-check.ts';
import { updateCheckQueries } from './update-check-queries.ts';

const methods = { android: 'apk', ios: 'itms' } as const;
const cacheSeconds = 60;
/** The time after which an app should ask again. */
const checkAfterSeconds = 3600;

const updateShape = v.pipe(
  v.object({
    update_available: v.boolean(),
    reason: v.pipe(
      v.picklist(Object.keys(updateReasons) as UpdateReason[]),
      v.description(
        Object.entries(updateReasons)
          .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
          .join(' '),
      ),
    ),
    current: v.object({
      known: v.pipe(v.boolean(), v.description('Whether the build that runs was uploaded to this app.')),
      revision: v.nullable(integerShape('Null also if the page is not open to everyone with the link.')),
      withdrawn: v.pipe(v.boolean(), v.description('Whether it was withdrawn from the page or deleted.')),
    }),
    latest: v.pipe(
      v.object({
        revision: v.nullable(integerShape('The build that the page serves.')),
        version_name: v.nullable(v.string()),
        version_code: v.string(),
        uploaded_at: v.nullable(timeShape()),
        release_note: v.string(),
        size: v.nullable(integerShape('Bytes.')),
        sha256: v.nullable(v.string()),
        minimum_os: v.nullable(textShape('API level, or version of iOS.')),
        mandatory: v.pipe(
          v.boolean(),
          v.description('Whether there is an update and the page requires it of the build that runs.'),
        ),
      }),
      v.description(
        'Describes the build only if the page is open to everyone with the link. If it asks for a passcode or to sign in, texts are empty and the rest is null, except `mandatory`.',
      ),
    ),
    install: v.object({
      page_url: v.string(),
      url: textShape('Open it in the browser of the device.'),
      method: v.pipe(
        v.picklist(['itms', 'apk', 'page']),
        v.description(
          '`itms` and `apk`: the URL starts the installation. `page`: it shows the page, which asks for a passcode or to sign in.',
        ),
      ),
    }),
    check_after: integerShape('Seconds after which to ask again.'),
  }),
  v.title('UpdateCheck'),
);

const maxVersionLength = 255;
const version = (description: string) =>
  v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(maxVersionLength), v.description(description)));

const describe = (page: DistributionPage, build: Build) => ({
  revision: build.revision,
  version_name: build.info.versionName,
  version_code: build.info.versionCode,
  uploaded_at: formatTime(build.createdAt),
  release_note: page.releaseNote,
  size: installedBytes(build),
  sha256: build.sha256,
  minimum_os: build.info.sdkVersion,
});

/** The caller is not identified, and so gets no more than the page shows before access. Apps expect texts, so they are empty, not null. */
const hidden = {
  revision: null,
  version_name: null,
  version_code: '',
  uploaded_at: null,
  release_note: '',
  size: null,
  sha256: null,
  minimum_os: null,
} satisfies { [Name in keyof ReturnType<typeof describe>]: '' | null };

export function updateCheckRoutes(deps: OpenPageDeps): Route[] {
  const { data, now } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/pages/:accessKey/update',
      operationId: 'checkForUpdate',
      summary: 'Tell an app whether its page has an update',
      description:
        'Needs no key: anyone who has the link may ask, and of a page that asks for a passcode or to sign in learns only whether there is an update. Name the build that runs by `sha256`, `revision` or `version_code`; the first of these counts. A page that is closed, or not open to the network of the device, answers 404. A check counts neither as a view nor as an install, and Slipway stores nothing about it.',
      tag: 'Update check',
      access: createOpenPageAccess(deps),
      query: {
        platform: v.picklist(['android', 'ios']),
        package: v.pipe(v.string(), v.trim(), v.maxLength(maxVersionLength)),
        version_code: version('versionCode, or CFBundleVersion.'),
        version_name: version('versionName, or CFBundleShortVersionString.'),
        revision: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number))),
        sha256: v.optional(
          v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/), v.description('SHA-256 of the package.')),
        ),
        os_version: v.optional(
          v.pipe(
            v.string(),
            v.regex(/^\d{1,5}(?:\.\d{1,5}){0,3}$/),
            v.description('API level, or version of iOS.'),
          ),
        ),
        device_id: v.optional(v.pipe(v.string(), v.maxLength(64), v.description('UDID of the device.'))),
      },
      answer: updateShape,
      handle: async ({ subject: { page, app }, query, client }) => {
        if (app.platform !== query.platform || app.packageName !== query.package) throw new NotFound();
        const { sha256, revision, version_code: versionCode, version_name: versionName } = query;
        if ((sha256 ?? revision ?? versionCode) === undefined)
          throw new InputInvalid([{ parameter: 'version_code', detail: 'is required' }]);
        const latest = await buildQueries(data).findBuild(page.buildId);
        if (!latest) throw new NotFound();
        const version = { sha256, revision, versionCode, versionName };
        const running = await updateCheckQueries(data).findRunning(app.id, page.id, version);
        const { origin } = client;
        const time = now();
        const blockers = [
          ...pageBlockers({ page, update: null, build: latest, origin, now: time }),
          ...buildBlockers(latest, time),
        ];
        const { available, reason, mandatory } = decideUpdate({
          latest,
          mandatoryFrom: page.mandatoryFrom,
          running,
          versionCode,
          versionName,
          osVersion: query.os_version,
          deviceId: query.device_id,
          blocked: blockers.length > 0,
        });
        const pageUrl = absolute(origin, distributionPath(page.accessKey));
        const isOpen = page.access === 'unlisted';
        const direct = absolute(origin, installPath(page.accessKey, latest.revision));
        return json(
          {
            update_available: available,
            reason,
            current: {
              known: running !== null,
              revision: isOpen ? (running?.revision ?? null) : null,
              withdrawn: running?.withdrawn ?? false,
            },
            latest: { ...(isOpen ? describe(page, latest) : hidden), mandatory },
            install: {
              page_url: pageUrl,
              url: isOpen ? direct : pageUrl,
              method: isOpen ? methods[app.platform] : ('page' as const),
            },
            check_after: checkAfterSeconds,
          },
          {
            headers: {
              'Access-Control-Allow-Origin': '*',
              // Shared caches do not know the networks of the page.
              'Cache-Control': `${page.networks.length > 0 ? 'private' : 'public'}, max-age=${cacheSeconds}`,
            },
          },
        );
      },
    }),
  ];
}
