/** What the pages say about which builds are kept. */
import { formatCount } from '../web/components/formats.ts';
import { plural } from '../web/components/plural.ts';

interface Rule {
  newest: number | null;
  days: number | null;
}

const newestWords = (newest: number) =>
  newest === 1 ? 'the newest build' : `the newest ${formatCount(newest)} builds`;
const youngWords = (days: number) =>
  `every build younger than ${days === 1 ? 'a day' : `${formatCount(days)} days`}`;
const upper = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `ofEach`: the rule holds for several apps. */
function sentenceOf({ newest, days }: Rule, ofEach: boolean): string {
  const each = ofEach ? ' of each app' : '';
  if (newest === null && days === null) return 'Every build is kept.';
  if (newest === null) {
    return `${upper(youngWords(days ?? 1))} is kept, and always the newest one${each}; all others go.`;
  }
  const kept = upper(newestWords(newest)) + each;
  const verb = newest === 1 ? 'is' : 'are';
  if (days === null) return `${kept} ${verb} kept; all older ones go.`;
  return `${kept} and ${youngWords(days)} are kept; what is neither goes.`;
}

const counted = (count: number) => `${formatCount(count)} ${count === 1 ? 'build' : 'builds'}`;

export const retentionTexts = {
  title: 'Keep builds',
  titleOf: (name: string) => `Keep builds of ${name}`,
  link: 'Keep builds',
  change: 'Change',
  sentence: sentenceOf,

  now: 'In force now',
  from: {
    app: 'Set for this app.',
    owner: (kind: 'user' | 'project', name: string) =>
      kind === 'project' ? `Set for the Project ${name}.` : `Set for all apps of ${name}.`,
    workspace: (name: string) => `Set for the Workspace ${name}.`,
    none: 'Nobody has set a rule.',
  },
  own: { owner: 'Set here.', workspace: 'Set here.' },
  nearer: {
    owner: 'An app can have a rule of its own, which then counts instead.',
    workspace: 'A Project or an app can have a rule of its own, which then counts instead.',
  },
  always:
    'A protected build, a build that a distribution page hands out now, and the newest build of an app always stay.',
  undo: 'What goes can be brought back for 24 hours, and then the rule lets it be for a week.',

  rule: 'Rule',
  which: 'Which builds to keep',
  kinds: {
    everything: 'Keep everything',
    some: 'Keep some, and remove the others',
    asOwner: (kind: 'user' | 'project', name: string) =>
      kind === 'project' ? `As the Project ${name} says` : `As ${name} says for all apps`,
    asWorkspace: (name: string) => `As the Workspace ${name} says`,
  },
  newest: 'Newest builds',
  newestHint: (most: number, ofEach: boolean) =>
    `How many${ofEach ? ' of each app' : ''} stay, from 1 to ${formatCount(most)}. Empty: the newest one alone.`,
  days: 'Days',
  daysHint: (most: number) =>
    `Younger builds stay, however many there are; from 1 to ${formatCount(most)}. Empty: age does not matter.`,
  faults: {
    choose: 'Say how many builds to keep, or for how many days, or both.',
    kind: 'Choose one of these.',
    number: (most: number) => `Write a whole number from 1 to ${formatCount(most)}, or nothing.`,
  },
  show: 'Show what would go',

  goes: 'What would go',
  nothing: 'Nothing would go now.',
  counted,
  total: (count: number, size: string) => `${counted(count)}, ${size}`,
  inApps: (apps: number) => `in ${plural(apps, 'app', 'apps')}`,
  unseen: 'You are in none of its teams, so its apps are not listed.',
  list: 'Builds that would go',
  appList: 'Where builds would go',
  paging: 'More of what would go',
  previous: 'Previous',
  next: 'Next',
  save: 'Save',
  saveAndRemove: (count: number) => `Save, and remove ${counted(count)}`,
  saved: 'Saved. What the rule does not keep is being removed now.',
};
