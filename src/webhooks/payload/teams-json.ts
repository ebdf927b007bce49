/**
 * Payload for the Teams workflow "When a Teams webhook request is received": an Adaptive Card. Uploaded text is in text
 * runs, which support no markup (https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer/text-run).
 */
import type { EventFacts } from './event-facts.ts';
import { eventText } from './event-text.ts';

export function teamsPayload(facts: EventFacts, origin: string | null) {
  const { title, note, details, link } = eventText(facts, origin);
  const detailLine = details.map(({ name, value }) => `${name} ${value}`).join(' · ');
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
