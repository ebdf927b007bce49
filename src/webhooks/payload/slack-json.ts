/**
 * Payload for Slack's incoming webhooks and compatible receivers: Mattermost, and Discord at `…/slack`. Slack shows
 * `blocks`, the others `text`, so `text` is complete and free of Slack-only markup.
 */
import type { EventFacts } from './event-facts.ts';
import { eventText } from './event-text.ts';

/** At most 3,000 characters: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
const maxBlockText = 3000;

export function slackPayload(facts: EventFacts, origin: string | null) {
  const { title, note, details, link } = eventText(facts, origin);
  const detailLine = details.map(({ name, value }) => `${name} ${value}`).join(' · ');
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
