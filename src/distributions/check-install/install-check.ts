/** Why a person or a device can or cannot install from a page: the rules of the tester page, each on its own. Pure. */
import type { Build } from '../../apps/app.ts';
import type { CheckedBuild } from '../../apps/builds/build-warnings.ts';
import { minimumSystem } from '../../apps/builds/version-text.ts';
import type { AppPerson } from '../../apps/testers/app-people.ts';
import { peopleTexts } from '../../apps/testers/app-tester-texts.ts';
import type { Visitor } from '../../core/visitor.ts';
import { type Device, toKnownDevice } from '../../devices/device.ts';
import { profileListing } from '../../devices/device-compatibility.ts';
import { deviceShortName } from '../../devices/device-models.ts';
import { formatCount, formatDay, formatList, formatNames } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { PageMembership } from '../access/page-membership.ts';
import { type RefusalReason, refusalReason } from '../access/page-refusal.ts';
import { visitRefusals } from '../access/page-rules.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { installRefusals } from '../install/install-refusals.ts';
import { installCheckTexts } from './install-check-texts.ts';
import type { RefusedVisit } from './refused-visit.ts';

export const checkNames = [
  'page',
  'membership',
  'group',
  'network',
  'installs',
  'build',
  'profile',
  'system',
] as const;
export type CheckName = (typeof checkNames)[number];

export const checkStates = ['passed', 'refused', 'unknown', 'unneeded'] as const;
export type CheckState = (typeof checkStates)[number];

export interface InstallCheck {
  name: CheckName;
  state: CheckState;
  /** The first reason why the check is refused; null if it is not. */
  reason: RefusalReason | null;
  /** Full sentences. */
  sentences: readonly string[];
}

export interface CheckedPerson extends PageMembership {
  name: string;
  /** Null without access to the app, or without such an account. The two look the same, so that no account is revealed. */
  reason: AppPerson['reason'] | null;
  /** An administrator has disabled the account, which therefore cannot sign in. */
  isDisabled: boolean;
}

export interface CheckedInstall {
  page: DistributionPage;
  build: CheckedBuild & Pick<Build, 'info'>;
  /** Null for a device that nobody registered by name. */
  person: CheckedPerson | null;
  device: Device | null;
  /** Names of the groups that the page admits. */
  groups: readonly string[];
  /** The latest visit of the person, including refused ones. */
  seen: { system: string; model: string | null; at: number } | null;
  lastRefusal: RefusedVisit | null;
  origin: string;
  now: number;
}

const t = installCheckTexts;

/** The check that each reason belongs to. Exhaustive, so that new reasons must be added. */
const checksByReason: Readonly<Record<RefusalReason, CheckName>> = {
  closed: 'page',
  expired: 'page',
  'wrong-network': 'network',
  passcode: 'membership',
  'sign-in': 'membership',
  'no-access': 'membership',
  'install-limit': 'installs',
  'no-https': 'build',
  'not-ready': 'build',
  'build-problem': 'build',
  'damaged-file': 'build',
  'unknown-build': 'build',
  withdrawn: 'build',
  'invalid-link': 'page',
  'expired-link': 'page',
  'not-listed': 'profile',
  'too-old': 'system',
  'other-device': 'system',
};

interface Refusal {
  reason: RefusalReason;
  sentence: string;
}

/** In the order in which the tester page applies them. */
export function refusalsOf(checked: CheckedInstall): Refusal[] {
  const { page, person, device, now } = checked;
  const isActive = person !== null && !person.isDisabled;
  const access = visitRefusals(page, {
    now,
    address: null,
    member: isActive && person.member,
    inGroup: isActive && person.inGroup,
    signedIn: isActive,
    knowsPasscode: false,
  }).map((refusal) => {
    const reason = refusalReason(refusal);
    return { reason, sentence: accessSentence(checked, reason) };
  });
  const known = device && toKnownDevice(device);
  const visiting = { visitor: visitorOf(checked), device: known };
  const rest = installRefusals({ ...checked, update: null, ...visiting });
  // A closed page would refuse both the visit and the install.
  const isNew = ({ reason }: Refusal) => access.every((one) => one.reason !== reason);
  return [...access, ...rest.filter(isNew)];
}

/** Returns all checks in a fixed order, without those of the other platform. */
export function installChecks(checked: CheckedInstall): InstallCheck[] {
  const refusals = refusalsOf(checked);
  const isAdHoc = profileListing(checked.build.info, null) !== 'any';
  return checkNames
    .filter((name) => (name === 'group' ? checked.page.access === 'groups' : name !== 'profile' || isAdHoc))
    .map((name) => {
      const refused = refusals.filter(({ reason }) => checkOf(checked, reason) === name);
      const [first] = refused;
      if (!first) return { name, reason: null, ...passedChecks[name](checked) };
      // Nobody is signed in on a device, so the person who uses it may know the passcode or have an account.
      const isOpen = name === 'membership' && checked.person === null;
      const sentences = [...new Set(refused.map(({ sentence }) => sentence))];
      return { name, state: isOpen ? 'unknown' : 'refused', reason: isOpen ? null : first.reason, sentences };
    });
}

const checkOf = ({ page, person }: CheckedInstall, reason: RefusalReason): CheckName =>
  reason === 'no-access' && page.access === 'groups' && person?.member ? 'group' : checksByReason[reason];

/** Null if some checks can't be answered. */
export function isInstallable(checks: readonly InstallCheck[]): boolean | null {
  if (checks.some(({ state }) => state === 'refused')) return false;
  return checks.some(({ state }) => state === 'unknown') ? null : true;
}

/** Returns what is known about the phone that would open the page. */
function visitorOf({ build, device, seen }: CheckedInstall): Visitor {
  const { platform } = build.info;
  const [, system, version] = /^(iOS|Android) (\d+)$/.exec(seen?.system ?? '') ?? [];
  const isSeen = system !== undefined && texts.platforms[platform] === system;
  const known = device && toKnownDevice(device).osVersion;
  const isSeenLater = isSeen && seen !== null && seen.at > (device?.updatedAt ?? 0);
  const family = /^iPad/.test(seen?.model ?? '')
    ? 'ipad'
    : /^iPhone/.test(seen?.model ?? '')
      ? 'iphone'
      : null;
  return {
    system: platform,
    osVersion: isSeenLater || known === null ? (isSeen ? (version ?? null) : null) : known,
    browser: platform === 'ios' ? 'safari' : 'other',
    inAppName: null,
    model: platform === 'ios' ? family : null,
  };
}

function accessSentence({ person, page, groups, now }: CheckedInstall, reason: RefusalReason): string {
  const name = person?.name ?? '';
  switch (reason) {
    case 'expired':
      return t.expired({ day: formatDay(page.expiresAt ?? now) });
    case 'passcode':
      return person === null ? t.anonymousPasscode : t.passcode({ name });
    case 'sign-in':
      return person === null ? t.anonymousSignIn : t.disabled({ name });
    case 'no-access':
      if (!person?.member) return t.noAccess({ name });
      return groups.length === 0 ? t.noGroups : t.notInGroup({ name, groups: formatNames(groups) });
    default:
      return t.closed;
  }
}

type Passed = Pick<InstallCheck, 'state' | 'sentences'>;
const said = (state: CheckState, sentence: string): Passed => ({ state, sentences: [sentence] });

/** The sentence for a check that passed. */
const passedChecks: Readonly<Record<CheckName, (checked: CheckedInstall) => Passed>> = {
  page: ({ page: { expiresAt } }) =>
    said('passed', expiresAt === null ? t.open : t.openUntil({ day: formatDay(expiresAt) })),
  membership: ({ page, person }) => {
    if (person === null) return said('unneeded', t.anyone);
    const { name, reason, member } = person;
    if (reason !== null && member) return said('passed', peopleTexts.reasons[reason]);
    return said('unneeded', page.access === 'unlisted' ? t.notNeeded({ name }) : t.anyone);
  },
  group: ({ person, groups }) =>
    person?.mayManage
      ? said('unneeded', t.managesPage)
      : said('passed', t.inGroup({ groups: formatNames(groups) })),
  network: ({ page: { networks } }) =>
    networks.length === 0
      ? said('unneeded', t.anyNetwork)
      : said('unknown', t.networks({ list: formatList([...networks]) })),
  installs: ({ page: { installs, maxInstalls } }) =>
    maxInstalls === null
      ? said('unneeded', t.unlimited)
      : said(
          'passed',
          t.installsLeft({ left: formatCount(maxInstalls - installs), limit: formatCount(maxInstalls) }),
        ),
  build: () => said('passed', t.installable),
  profile: ({ device, person }) =>
    device === null
      ? said('unknown', t.noDevice({ name: person?.name ?? '' }))
      : said('passed', t.listed({ device: deviceName(device) })),
  system: (checked) => {
    const needed = minimumSystem(checked.build.info);
    const { osVersion } = visitorOf(checked);
    if (needed === null) return said('unneeded', t.anySystem);
    if (osVersion === null) return said('unknown', t.unknownSystem({ needed }));
    const has = `${texts.platforms[checked.build.info.platform]} ${osVersion}`;
    return said('passed', t.system({ has, needed }));
  },
};

/** Name of the device; its model if it has none. */
export const deviceName = ({ name, product }: Pick<Device, 'name' | 'product'>) =>
  name === '' ? deviceShortName(product) : name;

/** The place where the next step is done. */
export type StepPlace = 'settings' | 'people' | 'groups' | 'build' | 'devices' | 'registration' | 'link';
export interface NextStep {
  place: StepPlace | null;
  sentence: string;
}

/** Returns the next step: for the first check that is refused, otherwise for the first unknown one. */
export function nextStep(checked: CheckedInstall, checks: readonly InstallCheck[]): NextStep {
  const name = checked.person?.name ?? '';
  const isRefused = ({ reason }: Refusal) =>
    checks.some((one) => one.name === checkOf(checked, reason) && one.state === 'refused');
  const refusal = refusalsOf(checked).find(isRefused);
  if (refusal) return stepsByReason[refusal.reason](checked);
  const open = checks.find(({ state }) => state === 'unknown');
  switch (open?.name) {
    case undefined:
      return { place: 'link', sentence: t.steps.nothing };
    case 'network':
      return { place: 'settings', sentence: t.steps.network };
    case 'profile':
      return { place: 'registration', sentence: t.steps.register({ name }) };
    case 'membership':
      return { place: 'people', sentence: t.steps.whoUsesIt };
    default:
      return { place: 'link', sentence: t.steps.askSystem };
  }
}

const step = (place: StepPlace | null, sentence: string): NextStep => ({ place, sentence });
const nameOf = ({ person }: CheckedInstall) => ({ name: person?.name ?? '' });
const uploadStep = () => step('build', t.steps.upload);

const stepsByReason: Readonly<Record<RefusalReason, (checked: CheckedInstall) => NextStep>> = {
  closed: () => step('settings', t.steps.open),
  expired: () => step('settings', t.steps.extend),
  'wrong-network': () => step('settings', t.steps.network),
  passcode: (checked) => step('people', t.steps.passcode(nameOf(checked))),
  'sign-in': () => step(null, t.steps.enable),
  'no-access': (checked) =>
    checked.person?.member
      ? step('groups', t.steps.group(nameOf(checked)))
      : step('people', t.steps.access(nameOf(checked))),
  'install-limit': () => step('settings', t.steps.limit),
  'no-https': () => step(null, t.steps.https),
  'not-ready': () => step('build', t.steps.wait),
  'build-problem': uploadStep,
  'damaged-file': uploadStep,
  'unknown-build': uploadStep,
  withdrawn: uploadStep,
  'invalid-link': () => step('link', t.steps.sendLink),
  'expired-link': () => step('link', t.steps.sendLink),
  'not-listed': () => step('devices', t.steps.profile),
  'too-old': () => step('build', t.steps.update),
  'other-device': () => step('build', t.steps.otherDevice),
};
