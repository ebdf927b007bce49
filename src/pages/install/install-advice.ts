/** What a tester has to know before the tap: whether the build will install here, and what to do when not. Pure. */

import type { Build } from '../../apps/app.ts';
import { installObstacles } from '../../apps/builds/build-warnings.ts';
import { neededSystem, systemVersion } from '../../apps/builds/version-text.ts';
import { deviceFits } from '../../devices/device-fits.ts';
import { deviceKindName } from '../../devices/device-models.ts';
// Versions of Android are numbers between dots, too.
import { isOlderIos as isOlder } from '../../devices/ios-version.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import { formatDay } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import { testerTexts } from './tester-texts.ts';
import type { Visitor } from './visitor.ts';

export interface InstallQuestion {
  build: Pick<Build, 'info' | 'verification'>;
  visitor: Visitor;
  /** Known by a cookie, which may have come along from an older phone: it advises and never forbids. */
  device: KnownDevice | null;
  /** Of the server and the page; full sentences. */
  obstacles: readonly string[];
  /** Whether the page hands the build out. */
  available: boolean;
  now: number;
}

/**
 * `blocked`: nobody can install it. `elsewhere`: this is a phone of the other platform. `computer`: no phone at all.
 * `refused`: this phone will most likely refuse it. `in-app`: the browser inside an app, which cannot install.
 */
export type InstallWay = 'blocked' | 'elsewhere' | 'computer' | 'refused' | 'in-app' | 'ready';

export interface InstallAdvice {
  way: InstallWay;
  /** Null when there is nothing to say: `ready` and `computer`. */
  title: string | null;
  sentences: readonly string[];
  /** Short sentences for beside the button. */
  remarks: readonly string[];
  /** Whether the profile's list of devices names this one; `any` when it has no list. */
  listed: 'any' | 'unknown' | 'yes' | 'no';
  /** The word for "this …". */
  noun: string;
}

const words = testerTexts.advice;

export function adviseInstall(question: InstallQuestion): InstallAdvice {
  const { visitor } = question;
  const { info } = question.build;
  const device = atHand(question);
  const noun = nounFor(visitor, device);
  const listed = decision(info, device);
  const blocked = blockers(question);
  if (blocked.length > 0 || !question.available) {
    const sentences = blocked.length > 0 ? blocked : [testerTexts.cannotInstallAnyMore];
    return { way: 'blocked', title: testerTexts.cannotInstall, sentences, remarks: [], listed, noun };
  }
  const rest = { remarks: remarksFor(question), listed, noun };
  const isPhone = visitor.system === 'ios' || visitor.system === 'android';
  if (!isPhone && device === null) return { way: 'computer', title: null, sentences: [], ...rest };
  if (isPhone && visitor.system !== info.platform)
    return { way: 'elsewhere', ...words.elsewhere[info.platform], ...rest };
  const refusals =
    info.platform === 'ios' ? iosRefusals(info, visitor, device) : androidRefusals(info, visitor);
  if (refusals.length > 0) {
    return { way: 'refused', title: words.refused(noun), sentences: [refusals.join(' ')], ...rest };
  }
  if (visitor.browser === 'in-app') return { way: 'in-app', ...inAppAdvice(visitor, info), ...rest };
  return { way: 'ready', title: null, sentences: [], ...rest };
}

/** Registering takes an iPhone or iPad, so that a browser which knows its device runs on one, whatever it says. */
function atHand({ visitor, device }: InstallQuestion): KnownDevice | null {
  return visitor.system === 'ios' || visitor.browser === 'safari' ? device : null;
}

function decision({ ios }: PackageInfo, device: KnownDevice | null): InstallAdvice['listed'] {
  const profile = ios?.profile;
  if (!profile || (profile.type !== 'ad-hoc' && profile.type !== 'development')) return 'any';
  if (!device) return 'unknown';
  const udid = device.udid.toLowerCase();
  return profile.devices.some((one) => one.toLowerCase() === udid) ? 'yes' : 'no';
}

function blockers({ build, obstacles, now }: InstallQuestion): string[] {
  const { info, verification } = build;
  const families = info.ios?.deviceFamilies ?? [];
  const forOthers = families.length > 0 && !families.includes('iphone') && !families.includes('ipad');
  const made = families.map((family) => texts.deviceFamilies[family]).join(', ');
  return [
    ...new Set([
      ...obstacles,
      ...installObstacles(info, verification, now),
      ...(forOthers ? [words.madeForOthers(made)] : []),
    ]),
  ];
}

function nounFor({ model }: Visitor, device: KnownDevice | null): string {
  if (device !== null) return deviceKindName(device.product);
  return model === null ? words.phone : texts.deviceFamilies[model];
}

function iosRefusals(info: PackageInfo, visitor: Visitor, device: KnownDevice | null): readonly string[] {
  // What the device said of its system when it was registered may be years old; the browser speaks of today.
  if (device) {
    const fit = deviceFits(info, { ...device, osVersion: visitor.osVersion });
    return fit.awaitsProfile ? [...fit.sentences, words.askToAdd] : fit.sentences;
  }
  const refusals: string[] = [];
  if (visitor.osVersion !== null && info.sdkVersion !== null && isOlder(visitor.osVersion, info.sdkVersion)) {
    refusals.push(
      words.tooOld(systemVersion('ios', info.sdkVersion), systemVersion('ios', visitor.osVersion)),
    );
  }
  const families = info.ios?.deviceFamilies ?? [];
  if (visitor.model === 'iphone' && families.length > 0 && !families.includes('iphone')) {
    refusals.push(words.madeForIpad);
  }
  return refusals;
}

function androidRefusals(info: PackageInfo, { osVersion }: Visitor): string[] {
  if (osVersion === null) return [];
  const needed = /^Android (\d+(?:\.\d+)*)/.exec(neededSystem(info) ?? '')?.[1];
  const has = `${texts.platforms.android} ${osVersion}`;
  if (needed && isOlder(osVersion, needed))
    return [words.tooOld(`${texts.platforms.android} ${needed}`, has)];
  const refusedFrom = refusedFromAndroid(info);
  return refusedFrom !== null && !isOlder(osVersion, refusedFrom) ? [words.targetTooOld(has)] : [];
}

/**
 * Android refuses what was made for too old a system: 14 a target below API 23, 15 one below 24
 * (developer.android.com, "Behavior changes: all apps", "Minimum installable target API level").
 */
function refusedFromAndroid({ targetSdkVersion }: PackageInfo): string | null {
  if (targetSdkVersion === null || targetSdkVersion >= 24) return null;
  return targetSdkVersion < 23 ? '14' : '15';
}

function inAppAdvice({ inAppName, system }: Visitor, info: PackageInfo) {
  const browser = system === 'ios' ? words.safari : words.chrome;
  return { title: words.openIn(browser), sentences: [words.inApp[info.platform](inAppName, browser)] };
}

const soonMs = 14 * 86_400_000;

function remarksFor({ build, visitor, now }: InstallQuestion): string[] {
  const { info } = build;
  const remarks: string[] = [];
  if (info.platform === 'ios' && visitor.system === 'ios' && visitor.browser === 'other') {
    remarks.push(words.otherIosBrowser);
  }
  const expiresAt = Date.parse(info.ios?.profile?.expiresAt ?? '');
  if (expiresAt > now && expiresAt - now < soonMs) remarks.push(words.expiresSoon(formatDay(expiresAt)));
  const refusedFrom = info.android && visitor.osVersion === null ? refusedFromAndroid(info) : null;
  if (refusedFrom !== null) remarks.push(words.targetOld(`${texts.platforms.android} ${refusedFrom}`));
  return remarks;
}
