/** The apps of the demo, with their commit messages. */
import type { IconName } from './draw-icon.ts';

export interface DemoApp {
  /** Identifies the app within the demo. */
  id: string;
  owner: string;
  ownerKind: 'user' | 'project';
  platform: 'android' | 'ios';
  packageName: string;
  name: string;
  icon: IconName;
  builds: number;
  /** Age of the latest build. */
  latestHoursAgo: number;
  /** In chronological order; the last one is the current release. */
  versions: readonly [string, ...string[]];
  firstVersionCode: number;
  /** Approximate size of a package in bytes. */
  sizeBytes: number;
  permissions: readonly string[];
  /** Branches besides `main` and the release branches. */
  features: readonly string[];
  /** Commit messages, newest last; repeated if there are more builds. */
  messages: readonly [string, ...string[]];
  /** Builds, by their index, that the checks are about. */
  checked?: {
    /** From this build, which a commit on `main` made, the app contains another file. */
    grows: { build: number; message: string; path: string; bytes: number };
    /** A feature branch forgot to turn debugging off. */
    debuggable: number;
  };
  /** Names of the pages that CI publishes on, by kind of branch. */
  pages: { main?: string; release?: string; feature?: boolean };
}

const tideMessages = [
  'Read station data in one request instead of twelve',
  'Harbor search: rank by distance, then by name',
  'Fix the blank chart after rotating the device',
  'Widgets: larger touch targets, new dark palette',
  'Cache tide tables for thirty days',
  'Upgrade the map renderer',
  'Show wind in knots where the locale expects it',
  'Merge #1240: crash reporting is opt-in',
  'Retry uploads of observations after a lost connection',
  'Remove the old settings screen',
  'Moon phases for southern harbors',
  'Merge #1262: map tiles from the new provider',
  'Accessibility: read the tide curve as a table',
  'Fix a crash on launch without location permission',
  'Harbor search: show the nearest station first',
  'Fix the tide offset after the clock change (#1284)',
] as const;

const androidBasics = ['android.permission.INTERNET', 'android.permission.ACCESS_NETWORK_STATE'];

export const apps: readonly DemoApp[] = [
  {
    id: 'tideline-android',
    owner: 'halden-labs',
    ownerKind: 'project',
    platform: 'android',
    packageName: 'com.haldenlabs.tideline',
    name: 'Tideline',
    icon: 'tideline',
    builds: 32,
    latestHoursAgo: 3,
    versions: ['3.6.0', '3.7.0', '3.7.1', '3.7.2', '3.8.0'],
    firstVersionCode: 336,
    sizeBytes: 620_000,
    permissions: [...androidBasics, 'android.permission.ACCESS_COARSE_LOCATION'],
    features: ['feature/wind-model', 'feature/offline-charts'],
    checked: {
      grows: {
        build: 24,
        message: 'Merge #1271: map tiles of every harbor for use without a connection',
        path: 'assets/tiles/harbors.bin',
        bytes: 180_000,
      },
      debuggable: 28,
    },
    messages: tideMessages,
    pages: { main: 'Main', release: 'Beta' },
  },
  {
    id: 'tideline-ios',
    owner: 'halden-labs',
    ownerKind: 'project',
    platform: 'ios',
    packageName: 'com.haldenlabs.tideline',
    name: 'Tideline',
    icon: 'tideline',
    builds: 20,
    latestHoursAgo: 9,
    versions: ['3.6.0', '3.7.0', '3.7.1', '3.8.0'],
    firstVersionCode: 346,
    sizeBytes: 540_000,
    permissions: [],
    features: ['feature/live-activities'],
    messages: tideMessages,
    pages: { main: 'Main', release: 'Beta' },
  },
  {
    id: 'courier-android',
    owner: 'parcel-ops',
    ownerKind: 'project',
    platform: 'android',
    packageName: 'com.haldenlabs.courier',
    name: 'Courier',
    icon: 'courier',
    builds: 20,
    latestHoursAgo: 22,
    versions: ['12.1.0', '12.2.0', '12.3.0', '12.4.0', '12.4.1'],
    firstVersionCode: 2274,
    sizeBytes: 760_000,
    permissions: [...androidBasics, 'android.permission.CAMERA', 'android.permission.ACCESS_FINE_LOCATION'],
    features: ['feature/route-preview'],
    messages: [
      'Scan damaged labels with a second pass',
      'Route list: keep the scroll position',
      'Signature pad for left-handed drivers',
      'Handle depots without a dock number',
      'Night colors for the map',
      'Fix duplicate stops after a reroute',
      'Send proof of delivery in the background',
      'Warn before the shift exceeds ten hours',
      'Retry failed proof-of-delivery photos',
    ],
    pages: { main: 'Pilot', release: 'Drivers', feature: true },
  },
  {
    id: 'orbit-android',
    owner: 'parcel-ops',
    ownerKind: 'project',
    platform: 'android',
    packageName: 'com.orbittransit.rider',
    name: 'Orbit Transit',
    icon: 'orbit',
    builds: 10,
    latestHoursAgo: 190,
    versions: ['7.9.0', '8.0.0-rc.1', '8.0.0-rc.2'],
    firstVersionCode: 786,
    sizeBytes: 480_000,
    permissions: [...androidBasics, 'android.permission.NFC'],
    features: [],
    messages: [
      'Live departures on the home screen',
      'Tickets work without a connection',
      'Fix the fare of the airport zone',
      'Announce delays with TalkBack',
      'Release candidate: live departures',
    ],
    pages: { release: 'RC' },
  },
  {
    id: 'pulse-ios',
    owner: 'pulse',
    ownerKind: 'project',
    platform: 'ios',
    packageName: 'health.pulse.clinic',
    name: 'Pulse Clinic',
    icon: 'pulse',
    builds: 12,
    latestHoursAgo: 49,
    versions: ['5.0.0', '5.1.0', '5.2.0'],
    firstVersionCode: 621,
    sizeBytes: 590_000,
    permissions: [],
    features: [],
    messages: [
      'Appointment reminders a day ahead',
      'Prescriptions: scan the paper form',
      'Face ID for test results',
      'Larger text on the day view',
      'Appointment reminders, Japanese',
    ],
    pages: { main: 'Team', release: 'Client' },
  },
  {
    id: 'bramble-android',
    owner: 'halden-labs',
    ownerKind: 'project',
    platform: 'android',
    packageName: 'garden.bramble.app',
    name: 'Bramble',
    icon: 'bramble',
    builds: 10,
    latestHoursAgo: 118,
    versions: ['1.18.0', '1.19.0', '1.19.3'],
    firstVersionCode: 181,
    sizeBytes: 350_000,
    permissions: androidBasics,
    features: [],
    messages: [
      'Watering plan for raised beds',
      'Plant search in Portuguese',
      'Photo diary: one tap to add a picture',
      'Update Compose and fix the frost alert',
    ],
    pages: { release: 'Beta' },
  },
  {
    id: 'fieldnotes-android',
    owner: 'maya',
    ownerKind: 'user',
    platform: 'android',
    packageName: 'com.maya.fieldnotes',
    name: 'Fieldnotes',
    icon: 'fieldnotes',
    builds: 4,
    latestHoursAgo: 290,
    versions: ['0.3.0', '0.4.0'],
    firstVersionCode: 8,
    sizeBytes: 210_000,
    permissions: androidBasics,
    features: [],
    messages: ['Notebooks', 'Sketches with a stylus', 'Offline maps'],
    pages: { release: 'Friends' },
  },
];

export const appPath = ({ owner, platform, packageName }: DemoApp) =>
  `/users/${owner}/platforms/${platform}/apps/${packageName}`;

/** Throws if there is no such app. */
export function findApp(id: string): DemoApp {
  const app = apps.find((one) => one.id === id);
  if (!app) throw new Error(`the demo has no app ${id}`);
  return app;
}

/** The beginnings of the release notes on pages, one for each release. */
export const releaseNotes: readonly [string, ...string[]] = [
  `## What to test

- Rotate the device on every chart
- Search with **no connection**, then turn it on again
- Everything else is unchanged`,
  `## New

- Dark palette for widgets
- Search results show the distance

## Fixed

- Blank screen after an update from the previous version`,
  `**Please update before Friday.** The old server is switched off then.

1. Open the app once after the update
2. Check that your settings are still there
3. Report anything odd with a screenshot`,
  `## Fixed

- Crash on launch without the location permission
- Times were one hour off after the clock change

Thanks to everyone who reported these.`,
];
