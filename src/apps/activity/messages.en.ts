/** Texts of activity on the build page. */
export const en = {
  title: 'Activity',
  all: 'All activity',
  installed: 'installed it',
  opened: 'opened it',
  on: 'on',
  none: 'No signed-in person has opened this build in the last 90 days.',
} as const;
