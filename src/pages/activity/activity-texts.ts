/** Texts of the activity page. */
import { formatCount } from '../../web/components/formats.ts';
import { pluralForm } from '../../web/components/plural.ts';

const counted = (count: number, one: string, many: string) =>
  `${formatCount(count)} ${pluralForm(count, one, many)}`;
const people = (count: number) => counted(count, 'person', 'people');

export const activityTexts = {
  title: 'Activity',
  line: 'Who opens and installs builds on this app’s distribution pages. Days start at midnight UTC.',
  period: 'Period',
  days: (count: number) => counted(count, 'day', 'days'),
  csv: 'CSV',
  csvOf: 'Daily numbers as CSV',
  empty: 'No activity in this period',
  emptyLine:
    'Slipway counts when someone opens a distribution page, and an install when a download starts there.',
  longer: (count: number) => `Show ${counted(count, 'day', 'days')}`,

  stats: {
    people: 'People who installed',
    signedIn: (members: number, guests: number) =>
      `${formatCount(members)} signed in, ${counted(guests, 'guest', 'guests')}`,
    installs: 'Installs',
    opened: 'Opened',
    change: (days: number) => ` on the ${counted(days, 'day', 'days')} before`,
    noneBefore: (days: number) => `None in the ${counted(days, 'day', 'days')} before`,
    onNewest: (revision: string) => `On ${revision}`,
    onLive: 'On the live build',
    ofPeople: (some: number, all: number) => `${formatCount(some)} of ${people(all)} signed in`,
    noMembers: 'No signed-in person has installed yet',
    noLive: 'No page is open',
  },

  plot: {
    title: { people: 'Adoption by version', installs: 'Installs by version' },
    shown: 'Plot',
    people: 'People',
    installs: 'Installs',
    legend: 'Versions, newest first',
    older: 'Older',
    dayColumns: 'By day',
    today: 'Today',
    soFar: 'so far',
    none: 'None',
    /** Describes the plot for screen readers: what it shows, and the finding. */
    adoption: (found: Record<'from' | 'to' | 'version', string> & { some: number; all: number }) =>
      `Signed-in people by installed version, ${found.from} to ${found.to}. ${formatCount(found.some)} of ${people(found.all)} have ${found.version}, the newest version.`,
    installsPerDay: (found: Record<'from' | 'to' | 'maxDay', string> & { total: number; max: number }) =>
      `Installs by version, ${found.from} to ${found.to}: ${formatCount(found.total)} in total, at most ${formatCount(found.max)} on ${found.maxDay}.`,
    noPeople: 'No signed-in person has installed a build yet.',
    noInstalls: 'No installs in this period.',
    guestsHidden:
      'Guests are not included: Slipway recognizes them for one day only. Switch to Installs to include them.',
    numbers: 'Numbers by day',
    day: 'Day',
    opened: 'Opened',
  },

  systems: 'System versions',
  installCount: (count: number) => counted(count, 'install', 'installs'),
  otherSystems: (count: number) => counted(count, 'other version', 'other versions'),
  noSystems: 'No installs in this period.',
  pages: 'Pages',
  pageLine: (installs: number, opened: number) =>
    `${counted(installs, 'install', 'installs')}, opened ${counted(opened, 'time', 'times')}`,
  peopleOf: (some: number, all: number) => `${formatCount(some)} of ${people(all)}`,
  people,

  byBuild: 'By build',
  build: 'Build',
  peopleColumn: 'People',
  installs: 'Installs',
  opened: 'Opened',
  newestBuilds: (count: number) => `The newest ${counted(count, 'build', 'builds')} with activity.`,

  who: {
    title: 'People',
    line: 'Signed-in people with access to the app. Everyone else is counted as a guest, without a name.',
    person: 'Person',
    build: 'Build',
    installed: 'Installed',
    opened: 'Opened',
    device: 'Device',
    page: 'Page',
    notInstalled: 'Not installed',
    times: (count: number) => ` (${formatCount(count)} times)`,
    filterBuild: 'Build',
    anyBuild: 'All builds',
    filterPage: 'Page',
    anyPage: 'All pages',
    csvOf: 'People as CSV',
    none: 'No signed-in person in this period',
    noneLine: 'People appear here after they sign in and open a page or install a build.',
    noneFiltered: 'No signed-in person matches the filter',
    clear: 'Clear filter',
    paging: 'More people',
  },
};
