/** Texts of activity on the build page. */
export const en = {
  title: 'Activity',
  all: 'All activity',
  installed: '<strong>{user}</strong> installed it <soft>on {device}</soft>',
  opened: '<strong>{user}</strong> opened it <soft>on {device}</soft>',
  none: 'No signed-in person has opened this build in the last 90 days.',
} as const;
