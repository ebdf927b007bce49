/** Determines which events a webhook receives, and how its row stores them. */
import { type EventChoice, type EventType, eventTypes } from './events.ts';

export const subscribes = (chosen: readonly EventChoice[], event: EventType): boolean =>
  chosen.includes('*') || chosen.includes(event);

/** Returns the events in the order of `eventTypes`. `stored`: JSON. */
export function readChoice(stored: string): EventChoice[] {
  const chosen: readonly string[] = JSON.parse(stored);
  if (chosen.includes('*')) return ['*'];
  return eventTypes.filter((type) => chosen.includes(type));
}
