/** Determines what a tester sees before installing: whether the build can be installed here, and what to do if not. Pure. */
import { buildTexts } from '../../apps/builds/build-texts.ts';
import type { CheckedBuild } from '../../apps/builds/build-warnings.ts';
import { systemVersion } from '../../apps/builds/version-text.ts';
import type { Visitor } from '../../core/visitor.ts';
import { type ProfileListing, profileListing } from '../../devices/device-compatibility.ts';
import { deviceKindName } from '../../devices/device-models.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import { targetRefusal } from '../../packages/apk/android-releases.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import { formatDay, joinSentences } from '../../web/components/formats.ts';
import { buildBlockers } from './install-blockers.ts';
import { currentDevice, deviceRefusals, type VisitingDevice } from './install-refusals.ts';
import { testerTexts } from './tester-texts.ts';

export interface InstallContext extends VisitingDevice {
  build: CheckedBuild;
  /** Reasons of the server and the page, as full sentences. */
  blockers: readonly string[];
  now: number;
}

/**
 * `blocked`: nobody can install it. `elsewhere`: on a phone of the other platform. `computer`: not on a phone. `refused`: this
 * phone will most likely reject it. `in-app`: in the browser of an app, which cannot install.
 */
export type InstallMethod = 'blocked' | 'elsewhere' | 'computer' | 'refused' | 'in-app' | 'ready';

export interface InstallAdvice {
  way: InstallMethod;
  /** Null if there is no message, for `ready` and `computer`. */
  title: string | null;
  sentences: readonly string[];
  /** Short sentences shown next to the button. */
  remarks: readonly string[];
  listed: ProfileListing;
  /** A noun for "this …". */
  noun: string;
}

const t = testerTexts.advice;

export function adviseInstall(question: InstallContext): InstallAdvice {
  const { visitor } = question;
  const { info } = question.build;
  const device = currentDevice(question);
  const noun = deviceNounFor(visitor, device);
  const listed = profileListing(info, device);
  const ofBuild = buildBlockers(question.build, question.now).map(({ sentence }) => sentence);
  const blocked = [...question.blockers, ...ofBuild];
  if (blocked.length > 0) {
    return {
      way: 'blocked',
      title: testerTexts.cannotInstall,
      sentences: blocked,
      remarks: [],
      listed,
      noun,
    };
  }
  const rest = { remarks: remarksFor(question), listed, noun };
  const isPhone = visitor.system === 'ios' || visitor.system === 'android';
  if (!isPhone && device === null) return { way: 'computer', title: null, sentences: [], ...rest };
  if (isPhone && visitor.system !== info.platform)
    return { way: 'elsewhere', ...t.elsewhere[info.platform], ...rest };
  const refusals = deviceRefusals(info, question);
  if (refusals.length > 0) {
    const onlyProfile = refusals.every(({ reason }) => reason === 'not-listed');
    const said = [...refusals.map(({ sentence }) => sentence), ...(onlyProfile ? [t.askToAdd] : [])];
    return { way: 'refused', title: t.refused({ noun }), sentences: [joinSentences(said)], ...rest };
  }
  if (visitor.browser === 'in-app') return { way: 'in-app', ...inAppAdvice(visitor, info), ...rest };
  return { way: 'ready', title: null, sentences: [], ...rest };
}

function deviceNounFor({ model }: Visitor, device: KnownDevice | null): string {
  if (device !== null) return deviceKindName(device.product);
  return model === null ? t.phone : buildTexts.deviceFamilies[model];
}

function inAppAdvice({ inAppName, system }: Visitor, info: PackageInfo) {
  const browser = system === 'ios' ? t.safari : t.chrome;
  const sentence =
    inAppName === null
      ? t.inUnknownApp[info.platform]({ browser })
      : t.inApp[info.platform]({ app: inAppName, browser });
  return { title: t.openIn({ browser }), sentences: [sentence] };
}

const expiryWarningMs = 14 * 86_400_000;

function remarksFor({ build, visitor, now }: InstallContext): string[] {
  const { info } = build;
  const remarks: string[] = [];
  if (info.platform === 'ios' && visitor.system === 'ios' && visitor.browser === 'other') {
    remarks.push(t.otherIosBrowser);
  }
  const expiresAt = Date.parse(info.ios?.profile?.expiresAt ?? '');
  if (expiresAt > now && expiresAt - now < expiryWarningMs)
    remarks.push(t.expiresSoon({ day: formatDay(expiresAt) }));
  const refusal =
    visitor.osVersion === null && info.targetSdkVersion !== null
      ? targetRefusal(info.targetSdkVersion)
      : null;
  if (refusal !== null)
    remarks.push(t.targetOld({ refusing: systemVersion('android', String(refusal.fromLevel)) }));
  if (build.apk) remarks.push(t.notFromPlay);
  return remarks;
}
