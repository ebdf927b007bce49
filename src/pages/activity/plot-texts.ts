/** Texts of the activity page. */
import { plural } from '../../web/components/plural.ts';

export const plotTexts = {
  title: 'Activity',
  titleOf: (packageName: string) => `Activity of ${packageName}`,
  line: 'Views and installs on this app’s distribution pages. Days start at midnight UTC.',
  period: 'Period',
  days: (count: number) => plural(count, 'day', 'days'),
  views: 'Views',
  installs: 'Installs',
  /** Describes the plot for screen readers. */
  summary: (said: Record<'word' | 'total' | 'from' | 'to' | 'max' | 'maxDay', string>) =>
    `${said.word} per day from ${said.from} to ${said.to}: ${said.total} in total, with a peak of ${said.max} on ${said.maxDay}.`,
  flat: (word: string, from: string, to: string) => `No ${word.toLowerCase()} from ${from} to ${to}.`,
  onDay: (day: string, count: string) => `${day}: ${count}`,
  onDayPartly: (day: string, count: string) => `${day} (so far): ${count}`,
  today: (left: string) => `Today, ${left} left`,
  numbers: 'Daily numbers',
  day: 'Day',
  soFar: 'so far',
  byBuild: 'By build',
  build: 'Build',
  newestBuilds: (count: string) => `The newest ${count} builds with activity.`,
  empty: 'No activity in this period',
  emptyLine:
    'Slipway counts a view when someone opens a distribution page, and an install when a download starts there.',
  longer: (count: number) => `Show ${plural(count, 'day', 'days')}`,
};
