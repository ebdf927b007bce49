/** Texts of the retention pages. */
export const en = {
  title: 'Retention',
  titleOf: 'Retention for {name}',
  /** A rule, as one sentence. `ofEach`: it applies to several apps. */
  rules: {
    everything: 'Slipway keeps every build.',
    days: 'Slipway keeps every build from the last {days, plural, one {24 hours} other {# days}} and always the newest one, and deletes the others.',
    daysOfEach:
      'Slipway keeps every build from the last {days, plural, one {24 hours} other {# days}} and always the newest one of each app, and deletes the others.',
    newest:
      'Slipway keeps {newest, plural, one {the newest build} other {the newest # builds}} and deletes older ones.',
    newestOfEach:
      'Slipway keeps {newest, plural, one {the newest build} other {the newest # builds}} of each app and deletes older ones.',
    both: 'Slipway keeps {newest, plural, one {the newest build} other {the newest # builds}} and every build from the last {days, plural, one {24 hours} other {# days}}, and deletes the others.',
    bothOfEach:
      'Slipway keeps {newest, plural, one {the newest build} other {the newest # builds}} of each app and every build from the last {days, plural, one {24 hours} other {# days}}, and deletes the others.',
  },

  now: 'Current rule',
  from: {
    app: 'Set for this app.',
    user: 'Set for all apps of {name}.',
    project: 'Set for the Project {name}.',
    workspace: 'Set for the Workspace {name}.',
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
    asUser: 'Use the rule of {name}',
    asProject: 'Use the rule of the Project {name}',
    asWorkspace: 'Use the rule of the Workspace {name}',
  },
  newest: 'Newest builds',
  newestHint: 'How many builds to keep, from 1 to {limit, number}. Leave empty to keep only the newest one.',
  newestHintOfEach:
    'How many builds to keep per app, from 1 to {limit, number}. Leave empty to keep only the newest one.',
  days: 'Days',
  daysHint: 'Keep every build from this many days, from 1 to {limit, number}. Leave empty to ignore age.',
  errors: {
    choose: 'Enter a number of builds, a number of days, or both.',
    kind: 'Choose an option.',
    number: 'Enter a whole number from 1 to {limit, number}, or leave empty.',
  },
  show: 'Preview',

  goes: 'Will be deleted',
  nothing: 'No builds will be deleted now.',
  total: '{count, plural, one {# build} other {# builds}}, {size}',
  totalInApps:
    '{count, plural, one {# build} other {# builds}}, {size}, in {apps, plural, one {# app} other {# apps}}',
  unseen: 'You are not in any of its teams, so its apps are not listed.',
  list: 'Builds that will be deleted',
  appList: 'Apps that will lose builds',
  paging: 'Pages of the preview',
  previous: 'Previous',
  next: 'Next',
  save: 'Save',
  saveAndRemove: 'Save and delete {count, plural, one {# build} other {# builds}}',
  saved: 'Saved. Slipway is deleting the builds that the rule does not keep.',
} as const;
