/** JSON payloads of webhooks. */
import { buildFieldsBy } from '../../apps/build-fields.ts';
import type { PageChangeType } from '../../jobs/events.ts';
import { eventJson } from '../events/event-json.ts';
import type { DeliveredEvent, Webhook, WebhookDelivery } from '../webhook.ts';
import type { EventFacts } from './event-facts.ts';
import { eventText } from './event-text.ts';

/** Renders the body of a delivery. `origin`: the public origin, or null to omit URLs. */
export function webhookBody(
  { kind, payloadVersion }: Pick<Webhook, 'kind' | 'payloadVersion'>,
  facts: EventFacts,
  origin: string | null,
): string {
  if (kind === 'slack') return JSON.stringify(slackPayload(facts, origin));
  if (kind === 'teams') return JSON.stringify(teamsPayload(facts, origin));
  const { event: type, at, current } = facts;
  // A delivery of an earlier version has no other payload, and `page.changed` is no other event.
  if (payloadVersion === 1 || !current || type === 'page.changed')
    return JSON.stringify(formerPayload(facts, origin));
  return JSON.stringify(eventJson({ ...current, type, at }));
}

/** The body that the last attempt of a delivery sent, or that the first one will. */
export function deliveryBody(
  webhook: Webhook,
  { facts, attemptLog }: WebhookDelivery,
  origin: string | null,
): string {
  return webhookBody(attemptLog.at(-1) ?? webhook, JSON.parse(facts) as EventFacts, origin);
}

const formerTypes: Partial<Record<DeliveredEvent, DeliveredEvent>> = {
  'page.published': 'page.changed',
  'page.rolled_back': 'page.changed',
  'page.note_changed': 'page.changed',
} satisfies Record<PageChangeType, DeliveredEvent>;

/** Version 1. */
function formerPayload(facts: EventFacts, origin: string | null) {
  const { app, build, page, deletion, goneOwner, feedback } = facts;
  const url = (path: string | null) => (origin === null || path === null ? null : `${origin}${path}`);
  return {
    type: formerTypes[facts.event] ?? facts.event,
    timestamp: new Date(facts.at).toISOString(),
    data: {
      app: app && {
        name: app.name,
        package_name: app.packageName,
        platform: app.platform,
        owner: { kind: app.owner.kind, name: app.owner.name },
        url: url(app.path),
      },
      build: build && {
        revision: build.revision,
        version_name: build.versionName,
        version_code: build.versionCode,
        message: build.message,
        ...buildFieldsBy('name', (field) => build[field]),
        file_size: build.sizeBytes,
        sha256: build.sha256,
        uploaded_by: build.uploadedBy,
        url: url(build.path),
      },
      distribution: page && { name: page.name, release_note: page.releaseNote, url: url(page.path) },
      ...(feedback
        ? {
            feedback: {
              text: feedback.text,
              sender: feedback.sender,
              device: feedback.device,
              screenshots: feedback.screenshots,
              url: url(feedback.path),
            },
          }
        : {}),
      ...(deletion
        ? {
            deleted: {
              revisions: deletion.revisions,
              count: deletion.count,
              by: deletion.by,
              app_deleted: deletion.withApp,
            },
          }
        : {}),
      ...(goneOwner
        ? {
            owner: { kind: goneOwner.kind, name: goneOwner.name },
            deleted: { apps: goneOwner.apps, count: goneOwner.builds, by: goneOwner.by },
          }
        : {}),
    },
  };
}

// Payload for Slack's incoming webhooks and compatible receivers: Mattermost, and Discord at `…/slack`. Slack shows
// `blocks`, the others `text`, so `text` is complete and free of Slack-only markup.

/** At most 3,000 characters: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
const maxBlockText = 3000;

export function slackPayload(facts: EventFacts, origin: string | null) {
  const { title, note, details, link } = eventText(facts, origin);
  const detailLine = details.join(' · ');
  const lines = [title, note, detailLine].filter((line) => line !== '').map(plain);
  const titled = link ? `*<${link.address}|${plain(title)}>*` : `*${plain(title)}*`;
  return {
    text: [...lines, ...(link ? [link.address] : [])].join('\n'),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: cut(titled) } },
      ...(note === '' ? [] : [{ type: 'section', text: { type: 'plain_text', text: note, emoji: false } }]),
      ...(detailLine === ''
        ? []
        : [{ type: 'context', elements: [{ type: 'plain_text', text: cut(detailLine), emoji: false }] }]),
    ],
  };
}

const cut = (text: string) => (text.length > maxBlockText ? `${text.slice(0, maxBlockText - 1)}…` : text);

/**
 * Escapes uploaded text: with Slack's three escaped characters
 * (https://docs.slack.dev/messaging/formatting-message-text) it cannot create links or mentions, and a zero-width space
 * after `@` prevents channel mentions in the other chats.
 */
function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b');
}

/**
 * Payload for the Teams workflow "When a Teams webhook request is received": an Adaptive Card. Uploaded text is in text
 * runs, which support no markup (https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer/text-run).
 */
export function teamsPayload(facts: EventFacts, origin: string | null) {
  const { title, note, details, link } = eventText(facts, origin);
  const detailLine = details.join(' · ');
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            run(title, { weight: 'Bolder', size: 'Medium' }),
            ...(note === '' ? [] : [run(note, {})]),
            ...(detailLine === '' ? [] : [run(detailLine, { isSubtle: true, size: 'Small' })]),
          ],
          ...(link ? { actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.address }] } : {}),
        },
      },
    ],
  };
}

function run(text: string, look: Record<string, unknown>) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...look }] };
}
