/** Decides what a tester sees before installing: whether the build installs here, and what to do if not. Pure. */
import type { JudgedBuild } from '../../apps/builds/build-warnings.ts';
import { requiredSystem, systemVersion } from '../../apps/builds/version-text.ts';
import type { Visitor } from '../../core/visitor.ts';
import {
  checkDeviceCompatibility,
  isForOtherFamilies,
  outdatedIos,
  type ProfileListing,
  profileListing,
} from '../../devices/device-compatibility.ts';
import { deviceKindName } from '../../devices/device-models.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import { highestApiLevelOf, targetRefusal } from '../../packages/apk/android-releases.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import { formatDay, joinSentences } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import { buildBlockers } from './install-blockers.ts';
import { testerTexts } from './tester-texts.ts';

export interface InstallContext {
  build: JudgedBuild;
  visitor: Visitor;
  /** Device from the cookie, which may have been copied from an older phone. It informs the advice but never blocks. */
  device: KnownDevice | null;
  /** Obstacles from the server and the page, as full sentences. */
  blockers: readonly string[];
  now: number;
}

/**
 * `blocked`: nobody can install it. `elsewhere`: a phone of the other platform. `computer`: not a phone. `refused`:
 * this phone will most likely reject it. `in-app`: the browser inside an app, which cannot install.
 */
export type InstallMethod = 'blocked' | 'elsewhere' | 'computer' | 'refused' | 'in-app' | 'ready';

export interface InstallAdvice {
  way: InstallMethod;
  /** Null without a message: `ready` and `computer`. */
  title: string | null;
  sentences: readonly string[];
  /** Short sentences shown next to the button. */
  remarks: readonly string[];
  listed: ProfileListing;
  /** Noun for "this …". */
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
  const refusals =
    info.platform === 'ios' ? iosRefusals(info, visitor, device) : androidRefusals(info, visitor);
  if (refusals.length > 0) {
    return { way: 'refused', title: t.refused({ noun }), sentences: [joinSentences(refusals)], ...rest };
  }
  if (visitor.browser === 'in-app') return { way: 'in-app', ...inAppAdvice(visitor, info), ...rest };
  return { way: 'ready', title: null, sentences: [], ...rest };
}

/** Only an iPhone or iPad can register, so a browser with a registered device runs on one regardless of its user agent. */
function currentDevice({ visitor, device }: InstallContext): KnownDevice | null {
  return visitor.system === 'ios' || visitor.browser === 'safari' ? device : null;
}

function deviceNounFor({ model }: Visitor, device: KnownDevice | null): string {
  if (device !== null) return deviceKindName(device.product);
  return model === null ? t.phone : texts.deviceFamilies[model];
}

function iosRefusals(info: PackageInfo, visitor: Visitor, device: KnownDevice | null): readonly string[] {
  // The version stored at registration may be years old; the user agent is current.
  if (device) {
    const fit = checkDeviceCompatibility(info, { ...device, osVersion: visitor.osVersion });
    return fit.awaitsProfile ? [...fit.sentences, t.askToAdd] : fit.sentences;
  }
  const refusals: string[] = [];
  const tooOld = outdatedIos(info, visitor.osVersion);
  if (tooOld)
    refusals.push(
      t.tooOld({
        needed: systemVersion('ios', tooOld.minimum),
        has: systemVersion('ios', tooOld.osVersion),
      }),
    );
  if (isForOtherFamilies(info, visitor.model)) refusals.push(t.madeForIpad);
  return refusals;
}

function androidRefusals(info: PackageInfo, { osVersion }: Visitor): string[] {
  if (osVersion === null) return [];
  const has = `${texts.platforms.android} ${osVersion}`;
  const level = highestApiLevelOf(osVersion);
  if (info.rawSdkVersion !== null && level < Number(info.sdkVersion)) {
    return [t.tooOld({ needed: requiredSystem(info) ?? '', has })];
  }
  const codename = info.android?.minSdkCodename ?? info.android?.targetSdkCodename;
  if (codename) return [t.previewOnly({ codename, has })];
  const refusal = targetRefusal(info.targetSdkVersion ?? Number.POSITIVE_INFINITY);
  return refusal !== null && level >= refusal.fromLevel ? [t.targetTooOld({ has })] : [];
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
