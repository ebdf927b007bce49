/** Reasons why a change to a user, Project or Workspace is refused. */
export const en = {
  gone: {
    project: 'the Project {name} no longer exists',
    user: 'the user {name} no longer exists',
  },
  unknown: {
    user: 'there is no user {name}',
    project: 'there is no Project {name}',
    workspace: 'there is no Workspace {name}',
    team: 'a team is one of {teams}, not {team}',
  },
  lastProjectOwner: 'A Project must have at least one owner. Make someone else an owner first.',
  lastWorkspaceOwner: 'A Workspace must have at least one owner. Add another owner first.',
  nameTaken: 'the name {name} is taken',
  nameOrAddressTaken: 'the name {name} or the address {email} is taken',
  tooManyProjects:
    'your account has reached its limit of {limit} Projects: delete one, or ask an administrator to raise the limit',
  email: '{email} is not a valid email address',
  description: 'a description can have at most {limit} characters',
  signOnRequired: 'the Workspace {workspace} requires signing in with {provider}',
  displayName: 'a display name can have at most {limit} characters, all of them visible',
  icon: 'an icon address is a path that starts with / or an http or https address',
  quota: {
    storage: 'storage must be a size such as 50GiB or 500MB, or empty for no limit',
    builds: 'the number of builds must be between 0 and {limit}, or empty for no limit',
    projects: 'the number of Projects must be between 0 and {limit}, or empty for no limit',
  },

  owner: {
    apps: 'Apps',
    people: 'People',
    teams: { owner: 'Owners', developer: 'Developers', auditor: 'Auditors', tester: 'Testers' },
    teamRights: {
      owner: 'Manage the Project and upload',
      developer: 'Upload and publish',
      auditor: 'See everything, but change nothing',
      tester: 'Install builds',
    },
    nobody: 'No one yet',
    more: 'and {count} more',
    managePeople: 'Manage people',
    leavePeople: 'Teams and membership',
    stored: 'Stored',
    user: 'User',
    project: 'Project',
    inWorkspace: 'in <name>{workspace}</name>',
    projectInWorkspace: 'Project in <name>{workspace}</name>',
    empty: 'No apps yet',
    emptyLine: 'Apps appear after their first upload.',
  },
} as const;
