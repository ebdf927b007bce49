/** Every word of webhooks and of the pages about them. */
import { formatCount } from '../web/components/formats.ts';
import { plural } from '../web/components/plural.ts';

const withAll = (apps: number, builds: number) =>
  apps === 0
    ? ''
    : `, with ${plural(apps, 'app', 'apps')} and ${formatCount(builds)} ${builds === 1 ? 'build' : 'builds'}`;

export const webhookTexts = {
  title: 'Hooks',
  titleOf: (packageName: string) => `Hooks of ${packageName}`,
  lineApp: 'A hook tells a chat or a server of your own about new builds of this app, as they come.',
  lineOwner: (name: string) =>
    `A hook tells a chat or a server of your own about new builds of every app of ${name}, as they come.`,
  list: 'Hooks here',
  none: 'No hooks yet',
  noneLine: 'Add one below: paste the address that your chat or your server gives you.',
  full: (most: number) => `There is room for ${most} hooks here. Delete one to add another.`,
  noOrigin:
    'This server does not know its public address, so messages carry no links. An administrator sets SLIPWAY_URL.',
  noOriginTitle: 'Messages without links',
  neverSent: 'Nothing sent yet',
  lastSent: 'Last sent',
  unnamed: 'Unnamed hook',
  states: { on: 'On', off: 'Off', gone: 'Off: gone' },
  goneTitle: 'The receiver asked to be left alone',
  goneLine: 'It answered 410 Gone, so nothing more is sent. Resume the hook to try it again.',
  unreadableTitle: 'The address cannot be read any more',
  unreadableLine:
    'The secret of this server has changed since it was saved. Give the address again; a new secret is made with it.',

  make: 'Add a hook',
  createButton: 'Add the hook',
  settings: 'Settings',
  save: 'Save',
  name: 'Name',
  nameHint: 'For you to tell them apart: a channel, a server. May be empty.',
  address: 'Address',
  addressHint: 'It may hold a secret: it is kept encrypted, and never shown in full again.',
  addressKept: (shown: string) => `Now ${shown}. Empty: stays as it is.`,
  kind: 'What it takes',
  kinds: {
    json: { label: 'JSON', hint: 'For a server of your own: everything about the build, signed.' },
    slack: {
      label: 'Slack and alike',
      hint: 'Slack and Mattermost; Discord when its address ends with /slack.',
    },
    teams: { label: 'Microsoft Teams', hint: 'A workflow “When a Teams webhook request is received”.' },
  },
  events: 'What it hears of',
  eventNames: {
    uploads: { label: 'New builds', hint: 'build.uploaded' },
    deletions: { label: 'Deleted builds', hint: 'build.deleted, owner.deleted' },
    pages: { label: 'Distribution pages that hand out another build', hint: 'page.changed' },
  },
  pause: 'Pause this hook',
  pauseLine: 'While it is paused, nothing is sent to it. Events during that time are not sent later.',
  pauseButton: 'Pause the hook',
  resumeButton: 'Resume the hook',

  madeTitle: 'Copy the secret now',
  madeLine:
    'Each delivery is signed with it, so that your server knows who is calling. It is not shown again. Chats do not need it.',
  secretLabel: 'Secret of the hook',

  test: 'Send a test',
  testLine: 'Sends a message right now and shows what came back.',
  tested: {
    sent: (status: number, time: string) => `The receiver took it: it answered ${status} in ${time}.`,
    answered: (status: number, time: string) => `The receiver refused it: it answered ${status} in ${time}.`,
    failed: (reason: string, time: string) => `It did not arrive (${time}). ${reason}`,
  },
  deliveries: 'Deliveries',
  deliveriesLine: (shown: number) => `The last ${shown}.`,
  noDeliveries: 'Nothing has been sent yet',
  noDeliveriesLine: 'Send a test, or upload a build.',
  deliveryStates: { waiting: 'Waiting', sent: 'Sent', dead: 'Failed', stopped: 'Not sent' },
  eventWords: {
    'build.uploaded': 'New build',
    'build.deleted': 'Deleted build',
    'page.changed': 'Distribution page',
    test: 'Test',
  } as Readonly<Record<string, string>>,
  answered: (status: number) => `answered ${status}`,
  took: (milliseconds: number) =>
    milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`,
  tries: (count: number) => plural(count, 'try', 'tries'),
  nextTry: (soon: boolean) => (soon ? 'next try within a minute' : 'next try'),
  again: 'Send again',
  againOf: (event: string, at: string) => `Send again: ${event}, ${at}`,

  newSecret: 'New secret',
  newSecretLine: 'From now on deliveries are signed with it alone. Change it at the receiver, too.',
  newSecretButton: 'Make a new secret',
  remove: 'Delete this hook',
  removeLine: 'Nothing more is sent to it, and what is waiting is dropped.',
  removeButton: 'Delete the hook',

  done: {
    saved: 'Saved.',
    deleted: 'The hook is deleted.',
    again: 'It is being sent again.',
    paused: 'Paused.',
    resumed: 'Resumed.',
  },

  faults: {
    long: (most: number) => `An address has at most ${most} characters.`,
    form: 'An address looks like https://hooks.example.com/…',
    scheme: 'The address begins with https://',
    login: 'The address must hold no user name and no password.',
    port: 'The port is 80, 443, or 1024 and above.',
    name: (most: number) => `A name has at most ${most} characters, in one line.`,
    kind: 'Choose what the receiver takes.',
    events: 'Choose at least one.',
    tooMany: 'That were many hooks, tests and deliveries in a short time. Wait a little.',
  },

  /** Why a delivery did not arrive; the first two are said when a webhook is saved, too. */
  deliveryFaults: {
    'not-allowed':
      'Hooks reach https addresses on the internet alone. For others an administrator sets SLIPWAY_HOOK_NETWORKS.',
    'no-such-name': 'There is no such name, or its DNS server did not answer.',
    unreachable: 'No connection could be made.',
    untrusted: 'Its certificate is not trusted.',
    cut: 'The connection broke before an answer came.',
    timeout: 'No answer came in time.',
    unreadable: 'The secret of this server has changed: give the hook its address again.',
  },

  chat: {
    uploaded: (subject: string, platform: string) => `New build: ${subject} for ${platform}`,
    deleted: (app: string, count: number, revisions: string) =>
      `Deleted from ${app}: ${count === 1 ? 'build' : 'builds'} ${revisions}`,
    appDeleted: (app: string, count: number) =>
      `${app} was deleted, with ${count === 1 ? 'its only build' : `its ${formatCount(count)} builds`}`,
    ownerDeleted: {
      project: (name: string, apps: number, builds: number) =>
        `The Project ${name} was deleted${withAll(apps, builds)}`,
      user: (name: string, apps: number, builds: number) =>
        `The account ${name} was deleted${withAll(apps, builds)}`,
    },
    goneWith: (app: string, sentence: string) => `${app} is gone. ${sentence}`,
    last: 'This hook went with it: nothing more will be told here.',
    pageChanged: (page: string, subject: string, platform: string) =>
      `“${page}” now hands out ${subject} for ${platform}`,
    test: (app: string | null) =>
      app === null
        ? 'A test of Slipway: new builds will be told here.'
        : `A test of Slipway: new builds of ${app} will be told here.`,
    by: 'by',
    page: 'page',
    branch: 'branch',
    commit: 'commit',
    label: 'label',
    install: 'Open the page',
    look: 'Look at it',
  },
};
