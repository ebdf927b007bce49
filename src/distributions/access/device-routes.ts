import * as v from 'valibot';
import type { Caller } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { App } from '../../apps/app.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { installBlockers } from '../../apps/builds/build-warnings.ts';
import { NotFound } from '../../core/errors.ts';
import { readVisitor, type Visitor } from '../../core/visitor.ts';
import type { Data } from '../../db/data.ts';
import { type Device, toKnownDevice } from '../../devices/device.ts';
import { checkDeviceCompatibility } from '../../devices/device-compatibility.ts';
import { maxDeviceResponseBytes } from '../../devices/device-response.ts';
import { deviceTexts } from '../../devices/device-texts.ts';
import { readShortBody } from '../../http/request-body.ts';
import { content, html, redirect } from '../../http/routes/answer.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { workspaceOf } from '../../owners/owner.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import { devicePath } from '../page-paths.ts';
import { createChallengeAccess, createOutcomeAccess } from './device-access-http.ts';
import type { DeviceCookies } from './device-cookie-http.ts';
import { type DeviceOnPage, renderDevicePage } from './device-page.tsx';
import type { RegisterDevice } from './device-registration.ts';
import { type DeviceTokens, deviceStepLifetimeMs } from './device-tokens.ts';
import { type AdmittedPage, admitted, onlyIos, type PageAccess } from './page-access-http.ts';
import { renderProfileService } from './profile-service.ts';

export interface DeviceRouteDeps {
  data: Data;
  access: RouteAccess;
  pageAccess: PageAccess;
  tokens: DeviceTokens;
  cookies: DeviceCookies;
  registerDevice: RegisterDevice;
  now: () => number;
}

type PageContext = RouteContext<Caller | null, AdmittedPage>;
type DeviceContext = RouteContext<Caller | null, Pick<AdmittedPage, 'page' | 'app'>>;

/** Routes that register iPhones and iPads: the page, the profile, the device response and the result. */
export function deviceRoutes(deps: DeviceRouteDeps): Route[] {
  const visitorAccess = { method: 'GET', access: onlyIos(deps.pageAccess), keyScope: 'read' } as const;
  const path = '/distributions/:accessKey/device';
  return [
    defineRoute({
      ...visitorAccess,
      path,
      summary: 'Show the page that registers a device',
      handle: admitted(async (visit: PageContext) =>
        html(await renderDevice(deps.data, visit, await readDevice(deps, visit)), {
          cookies: deps.cookies.browserOf(visit.client).cookies,
        }),
      ),
    }),
    defineRoute({
      ...visitorAccess,
      path: `${path}.mobileconfig`,
      summary: 'Download the profile that requests the identifiers of a device',
      handle: admitted(async (visit: PageContext) => {
        const { browser, cookies } = deps.cookies.browserOf(visit.client);
        const profile = await profileFor(deps, visit, browser);
        const headers = { 'Cache-Control': 'private, no-store' };
        return content('application/x-apple-aspen-config', profile, { headers, cookies });
      }),
    }),
    defineRoute({
      method: 'POST',
      path,
      summary: 'Register a device',
      access: createChallengeAccess(deps),
      csrfExempt: 'iOS sends this request without cookies; the challenge in the URL is signed',
      headers: {
        'content-type': v.pipe(
          v.string(),
          v.regex(/^application\/pkcs7-signature\b/i, () => deviceTexts.responseType),
        ),
      },
      streamedBody: { describes: { type: 'string', format: 'binary' } },
      handle: async ({ subject, client, body }) => {
        body.accept();
        const answer = await readShortBody(body.message, maxDeviceResponseBytes);
        const { page } = subject;
        const device = await deps.registerDevice(subject, client.address, answer);
        const expiresAt = deps.now() + deviceStepLifetimeMs;
        const outcome = deps.tokens.outcome.issue({ deviceId: device.id, expiresAt }, page);
        // iOS opens the target of a 301 in Safari, unlike that of other redirects.
        return redirect(`${client.origin}${devicePath(page.accessKey)}/${outcome}`, {
          status: 301,
          headers: { 'Cache-Control': 'no-store' },
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:outcome`,
      summary: 'Show the result of a device registration',
      access: createOutcomeAccess(deps),
      keyScope: 'read',
      handle: async (visit) => {
        const { subject, params } = visit;
        // The page reads the same data from the cookie.
        if (!subject.device) return redirect(devicePath(params.accessKey));
        // Sets no cookie: a link from someone else's registration must not bind this browser to it.
        return html(await renderDevice(deps.data, visit, subject.device));
      },
    }),
  ];
}

const readDevice = ({ cookies }: DeviceRouteDeps, { client, subject }: PageContext) =>
  cookies.readDevice(client, subject.app.owner.id);

async function profileFor(
  { data, tokens, now }: DeviceRouteDeps,
  { subject, caller, client }: PageContext,
  browser: string,
): Promise<string> {
  const { page, app } = subject;
  const build = await buildQueries(data).findBuild(page.buildId);
  const userId = caller?.actor.kind === 'user' ? caller.actor.user.id : null;
  const expiresAt = now() + deviceStepLifetimeMs;
  const challenge = tokens.challenge.issue({ browser, userId, expiresAt }, page);
  return renderProfileService({
    responseUrl: `${client.origin}${devicePath(page.accessKey)}?challenge=${challenge}`,
    challenge,
    pageId: page.id,
    organization: app.owner.name,
    displayName: deviceTexts.profileName({ app: build?.info.name ?? app.packageName }),
    description: deviceTexts.profileDescription({ owner: app.owner.name }),
  });
}

async function renderDevice(
  data: Data,
  { frame, client, subject: { page, app } }: DeviceContext,
  device: Device | null,
): Promise<string> {
  const visitor = readVisitor({ userAgent: client.userAgent });
  const build = await buildQueries(data).findBuild(page.buildId);
  if (!build) throw new NotFound();
  return renderDevicePage({
    frame,
    workspace: workspaceOf(app.owner),
    page,
    ownerName: app.owner.name,
    info: build.info,
    visitor,
    blockers: installBlockers(build, frame.now),
    device: device && deviceOnPage(app, build.info, visitor, device),
  });
}

/** The browser may have registered its device only with another owner. */
function deviceOnPage(app: App, info: PackageInfo, visitor: Visitor, device: Device): DeviceOnPage {
  const known = toKnownDevice(device);
  // Does not check registrations of others, because the response would reveal whether the owner knows a UDID.
  const registered = device.ownerId === app.owner.id;
  // The user agent is current, whereas the registered version dates from the registration.
  const osVersion = visitor.osVersion ?? known.osVersion;
  const today = { ...known, osVersion: visitor.system === 'ios' ? osVersion : known.osVersion };
  return { device: today, registered, fit: checkDeviceCompatibility(info, today) };
}
