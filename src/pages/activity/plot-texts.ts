/** What the page says on which people see how an app's distribution pages are used. */
import { plural } from '../../web/components/plural.ts';

export const plotTexts = {
  title: 'Activity',
  titleOf: (packageName: string) => `Activity of ${packageName}`,
  line: 'How this app’s distribution pages are used. Days begin at midnight UTC.',
  period: 'Period',
  days: (count: number) => plural(count, 'day', 'days'),
  views: 'Views',
  installs: 'Installs',
  /** Says the plot for those who do not see it. */
  summary: (said: Record<'word' | 'total' | 'from' | 'to' | 'most' | 'mostDay', string>) =>
    `${said.word} by day from ${said.from} to ${said.to}: ${said.total} in all, most on ${said.mostDay} with ${said.most}.`,
  flat: (word: string, from: string, to: string) => `${word} by day from ${from} to ${to}: none.`,
  onDay: (day: string, count: string) => `${day}: ${count}`,
  onDayPartly: (day: string, count: string) => `${day}, so far: ${count}`,
  today: (left: string) => `Today, ${left} to go`,
  numbers: 'Numbers by day',
  day: 'Day',
  soFar: 'so far',
  byBuild: 'By build',
  build: 'Build',
  newestBuilds: (count: string) => `The newest ${count} that somebody saw.`,
  empty: 'No visits in this time',
  emptyLine:
    'A view is counted when somebody opens a distribution page, an install when a download begins there.',
  longer: (count: number) => `Look back ${plural(count, 'day', 'days')}`,
};
