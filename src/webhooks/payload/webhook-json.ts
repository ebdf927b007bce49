/** JSON payloads of webhooks. */
import { eventJson } from '../events/event-json.ts';
import type { Webhook, WebhookDelivery } from '../webhook.ts';
import type { EventFacts } from './event-facts.ts';
import { eventText } from './event-text.ts';

/** Renders the body of a delivery. `origin`: the public origin; null to leave out URLs. */
export function webhookBody(
  { kind }: Pick<Webhook, 'kind'>,
  facts: EventFacts,
  origin: string | null,
): string {
  if (kind === 'slack') return JSON.stringify(slackPayload(facts, origin));
  if (kind === 'teams') return JSON.stringify(teamsPayload(facts, origin));
  const { event: type, at, current } = facts;
  return JSON.stringify(eventJson({ ...current, type, at }));
}

/** Returns the body that the last attempt of a delivery has sent, or that the first attempt will send. */
export function deliveryBody(
  webhook: Webhook,
  { facts, attemptLog }: WebhookDelivery,
  origin: string | null,
): string {
  return webhookBody(attemptLog.at(-1) ?? webhook, JSON.parse(facts) as EventFacts, origin);
}

// The payload for Slack's incoming webhooks and compatible receivers: Mattermost, and Discord at `…/slack`. Slack shows `blocks`
// and the others show `text`, so `text` is complete and has no markup that only Slack supports.

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
 * Escapes uploaded text: with the three characters that Slack requires to be escaped
 * (https://docs.slack.dev/messaging/formatting-message-text), so that it cannot create links or mentions, and with a zero-width
 * space after `@`, which prevents channel mentions in the other chats.
 */
function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b');
}

/**
 * The payload for the Teams workflow "When a Teams webhook request is received": an Adaptive Card. Uploaded text is in text runs,
 * which support no markup (https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer/text-run).
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
