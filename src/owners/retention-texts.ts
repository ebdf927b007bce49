/** Texts of the retention pages. */
import { formatCount } from '../web/components/formats.ts';
import { plural } from '../web/components/plural.ts';

interface Rule {
  newest: number | null;
  days: number | null;
}

const describeNewest = (newest: number) =>
  newest === 1 ? 'the newest build' : `the newest ${formatCount(newest)} builds`;
const describeRecent = (days: number) =>
  `every build from the last ${days === 1 ? '24 hours' : `${formatCount(days)} days`}`;

/** Describes a rule in one sentence. `ofEach`: the rule applies to several apps. */
function sentenceOf({ newest, days }: Rule, ofEach: boolean): string {
  const each = ofEach ? ' of each app' : '';
  if (newest === null && days === null) return 'Slipway keeps every build.';
  if (newest === null) {
    return `Slipway keeps ${describeRecent(days ?? 1)} and always the newest one${each}, and deletes the others.`;
  }
  const kept = describeNewest(newest) + each;
  if (days === null) return `Slipway keeps ${kept} and deletes older ones.`;
  return `Slipway keeps ${kept} and ${describeRecent(days)}, and deletes the others.`;
}

const counted = (count: number) => `${formatCount(count)} ${count === 1 ? 'build' : 'builds'}`;

export const retentionTexts = {
  title: 'Retention',
  titleOf: (name: string) => `Retention for ${name}`,
  link: 'Retention',
  change: 'Change',
  sentence: sentenceOf,

  now: 'Current rule',
  from: {
    app: 'Set for this app.',
    owner: (kind: 'user' | 'project', name: string) =>
      kind === 'project' ? `Set for the Project ${name}.` : `Set for all apps of ${name}.`,
    workspace: (name: string) => `Set for the Workspace ${name}.`,
    none: 'No rule is set.',
  },
  own: { owner: 'Set here.', workspace: 'Set here.' },
  nearer: {
    owner: 'An app can override this rule.',
    workspace: 'A Project or an app can override this rule.',
  },
  always:
    'Slipway never deletes protected builds, builds that are live on a distribution page, or the newest build of an app.',
  undo: 'You can restore a deleted build for 24 hours. The rule does not apply to a restored build for a week.',

  rule: 'Rule',
  which: 'Builds to keep',
  kinds: {
    everything: 'Keep all builds',
    some: 'Delete old builds',
    asOwner: (kind: 'user' | 'project', name: string) =>
      kind === 'project' ? `Use the rule of the Project ${name}` : `Use the rule of ${name}`,
    asWorkspace: (name: string) => `Use the rule of the Workspace ${name}`,
  },
  newest: 'Newest builds',
  newestHint: (limit: number, ofEach: boolean) =>
    `How many builds to keep${ofEach ? ' per app' : ''}, from 1 to ${formatCount(limit)}. Leave empty to keep only the newest one.`,
  days: 'Days',
  daysHint: (limit: number) =>
    `Keep every build from this many days, from 1 to ${formatCount(limit)}. Leave empty to ignore age.`,
  errors: {
    choose: 'Enter a number of builds, a number of days, or both.',
    kind: 'Choose an option.',
    number: (limit: number) => `Enter a whole number from 1 to ${formatCount(limit)}, or leave empty.`,
  },
  show: 'Preview',

  goes: 'Will be deleted',
  nothing: 'No builds will be deleted now.',
  counted,
  total: (count: number, size: string) => `${counted(count)}, ${size}`,
  inApps: (apps: number) => `in ${plural(apps, 'app', 'apps')}`,
  unseen: 'You are not in any of its teams, so its apps are not listed.',
  list: 'Builds that will be deleted',
  appList: 'Apps that will lose builds',
  paging: 'Pages of the preview',
  previous: 'Previous',
  next: 'Next',
  save: 'Save',
  saveAndRemove: (count: number) => `Save and delete ${counted(count)}`,
  saved: 'Saved. Slipway is deleting the builds that the rule does not keep.',
};
