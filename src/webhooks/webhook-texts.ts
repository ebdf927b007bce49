/** Texts of webhook messages and of the webhook pages. */
import type { EventGroup } from '../jobs/outbox.ts';
import { formatCount } from '../web/components/formats.ts';
import { plural, pluralForm } from '../web/components/plural.ts';
import type { DeliveredEvent } from './webhook.ts';

const withAll = (apps: number, builds: number) =>
  apps === 0
    ? ''
    : `, with ${plural(apps, 'app', 'apps')} and ${formatCount(builds)} ${pluralForm(builds, 'build', 'builds')}`;

export const webhookTexts = {
  title: 'Webhooks',
  titleOf: (packageName: string) => `Webhooks of ${packageName}`,
  lineApp: 'A webhook notifies a chat or your own server about events of this app.',
  lineOwner: (name: string) =>
    `A webhook notifies a chat or your own server about events of every app of ${name}.`,
  list: 'Webhooks',
  none: 'No webhooks yet',
  noneLine: 'To add one, paste the URL from your chat or server below.',
  full: (limit: number) => `The limit of ${limit} webhooks is reached. Delete one to add another.`,
  noOrigin:
    'The public URL of this server is not configured, so messages contain no links. Ask an administrator to set SLIPWAY_URL.',
  noOriginTitle: 'Messages without links',
  neverSent: 'Nothing sent yet',
  lastSent: 'Last sent',
  unnamed: 'Unnamed webhook',
  states: { on: 'Active', off: 'Paused', gone: 'Stopped (410 Gone)' },
  goneTitle: 'Stopped by the receiver',
  goneLine: 'The receiver returned 410 Gone, so Slipway stopped sending. Resume the webhook to try again.',
  unreadableTitle: 'The URL cannot be decrypted',
  unreadableLine:
    'The server secret changed after the URL was saved. Enter the URL again. This also creates a new signing secret.',

  add: 'New webhook',
  createButton: 'Add webhook',
  settings: 'Settings',
  save: 'Save',
  name: 'Name',
  nameHint: 'For example, a channel or server name. Optional.',
  address: 'URL',
  addressHint: 'Slipway stores the URL encrypted and does not show it in full again.',
  addressKept: (shown: string) => `Currently ${shown}. Leave empty to keep it.`,
  kind: 'Format',
  kinds: {
    json: { label: 'JSON', hint: 'For your own server: all build details, signed.' },
    slack: {
      label: 'Slack and compatible',
      hint: 'Slack, Mattermost, and Discord URLs that end with /slack.',
    },
    teams: {
      label: 'Microsoft Teams',
      hint: 'A workflow with the trigger “When a Teams webhook request is received”.',
    },
  },
  events: 'Events',
  eventNames: {
    uploads: 'New builds',
    deletions: 'Deleted builds',
    pages: 'Builds published on distribution pages',
    feedback: 'New feedback from testers',
  } satisfies Record<EventGroup, string>,
  pause: 'Pause webhook',
  pauseLine: 'Slipway sends nothing while the webhook is paused. Events during that time are not sent later.',
  pauseButton: 'Pause webhook',
  resumeButton: 'Resume webhook',

  madeTitle: 'Copy the secret now',
  madeLine:
    'Slipway signs each delivery with this secret so that your server can verify it. It is not shown again. Chats do not need it.',
  secretLabel: 'Signing secret',

  test: 'Send test',
  testLine: 'Sends a test message and shows the response.',
  tested: {
    sent: (status: number, time: string) => `Delivered. The receiver returned ${status} in ${time}.`,
    answered: (status: number, time: string) => `Rejected. The receiver returned ${status} in ${time}.`,
    failed: (reason: string, time: string) => `Not delivered (${time}). ${reason}`,
  },
  deliveries: 'Deliveries',
  deliveriesLine: (shown: number) => `The last ${shown}.`,
  noDeliveries: 'No deliveries yet',
  noDeliveriesLine: 'Send a test or upload a build.',
  deliveryStates: { waiting: 'Waiting', sent: 'Sent', dead: 'Failed', stopped: 'Not sent' },
  eventWords: {
    'build.uploaded': 'New build',
    'build.deleted': 'Deleted build',
    'owner.deleted': 'Deleted owner',
    'page.changed': 'Distribution page',
    'feedback.created': 'Feedback',
    test: 'Test',
  } satisfies Record<DeliveredEvent, string>,
  answered: (status: number) => `HTTP ${status}`,
  took: (milliseconds: number) =>
    milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`,
  attempts: (count: number) => plural(count, 'attempt', 'attempts'),
  nextTry: (soon: boolean) => (soon ? 'next attempt within a minute' : 'next attempt'),
  again: 'Resend',
  againOf: (event: string, at: string) => `Resend: ${event}, ${at}`,

  newSecret: 'Rotate secret',
  newSecretLine: 'Slipway signs all further deliveries with the new secret. Update your receiver.',
  newSecretButton: 'Rotate secret',
  remove: 'Delete webhook',
  removeLine: 'Slipway stops sending and discards pending deliveries.',
  removeButton: 'Delete webhook',

  done: {
    saved: 'Saved.',
    deleted: 'Webhook deleted.',
    again: 'Resending.',
    paused: 'Paused.',
    resumed: 'Resumed.',
  },

  errors: {
    long: (limit: number) => `URL too long. The limit is ${limit} characters.`,
    form: 'Enter a URL such as https://hooks.example.com/…',
    scheme: 'The URL must start with https://',
    login: 'The URL must not contain a user name or password.',
    port: 'The port must be 80, 443, or 1024 and above.',
    name: (limit: number) => `The name must be one line of at most ${limit} characters.`,
    kind: 'Choose a format.',
    events: 'Choose at least one event.',
    tooMany: 'Too many requests. Try again in a minute.',
  },

  /** Why a delivery failed. The first two can also occur when a webhook is saved. */
  deliveryErrors: {
    'not-allowed':
      'Webhooks can only use public https URLs. To allow others, ask an administrator to set SLIPWAY_HOOK_NETWORKS.',
    'no-such-name': 'The host name could not be resolved.',
    unreachable: 'Could not connect.',
    untrusted: 'The certificate of the receiver is not trusted.',
    cut: 'The connection closed before a response arrived.',
    timeout: 'The request timed out.',
    unreadable: 'The server secret changed. Enter the URL of the webhook again.',
  },

  chat: {
    uploaded: (subject: string, platform: string) => `New build: ${subject} for ${platform}`,
    deleted: (app: string, count: number, revisions: string) =>
      `Deleted from ${app}: ${pluralForm(count, 'build', 'builds')} ${revisions}`,
    appDeleted: (app: string, count: number) =>
      `${app} was deleted with ${count === 1 ? 'its only build' : `its ${formatCount(count)} builds`}`,
    ownerDeleted: {
      project: (name: string, apps: number, builds: number) =>
        `The Project ${name} was deleted${withAll(apps, builds)}`,
      user: (name: string, apps: number, builds: number) =>
        `The account ${name} was deleted${withAll(apps, builds)}`,
    },
    goneWith: (app: string, sentence: string) => `${app} was deleted. ${sentence}`,
    last: 'This webhook was deleted with it.',
    feedback: (subject: string, platform: string) => `New feedback on ${subject} for ${platform}`,
    pageChanged: (page: string, subject: string, platform: string) =>
      `“${page}” now serves ${subject} for ${platform}`,
    test: (app: string | null) =>
      app === null
        ? 'Test message from Slipway. New builds will be posted here.'
        : `Test message from Slipway. New builds of ${app} will be posted here.`,
    by: 'by',
    page: 'page',
    branch: 'branch',
    commit: 'commit',
    label: 'label',
    install: 'Open page',
    look: 'Open build',
    read: 'Open feedback',
    device: 'device',
  },
};
