/** Which events a webhook receives, and how its row stores that. */
import { type EventChoice, type EventType, eventTypes } from './events.ts';

/** The columns by which earlier versions chose, and what they stood for. */
const groups = {
  hears_uploads: ['build.uploaded'],
  hears_deletions: ['build.deleted', 'owner.deleted'],
  hears_pages: ['page.published', 'page.rolled_back', 'page.note_changed'],
  hears_feedback: ['feedback.created'],
} as const satisfies Record<string, readonly EventType[]>;

type Group = keyof typeof groups;
const groupNames = Object.keys(groups) as Group[];

export type ChoiceColumns = Record<Group, number> & { events: string | null };

/** Those that a payload of version 1 can describe. */
export const formerEventTypes: readonly EventType[] = Object.values(groups).flat();

export const subscribes = (chosen: readonly EventChoice[], event: EventType): boolean =>
  chosen.includes('*') || chosen.includes(event);

/** In the order of `eventTypes`. */
export function readChoice(row: ChoiceColumns): EventChoice[] {
  const chosen: readonly string[] =
    row.events === null
      ? groupNames.filter((group) => row[group] === 1).flatMap((group) => groups[group])
      : JSON.parse(row.events);
  if (chosen.includes('*')) return ['*'];
  return eventTypes.filter((type) => chosen.includes(type));
}

/** Nodes of the earlier version, which run during an upgrade, read only the groups. */
export function choiceColumns(chosen: readonly EventChoice[]): ChoiceColumns {
  const columns = groupNames.map((group) => [
    group,
    Number(groups[group].some((type) => subscribes(chosen, type))),
  ]);
  return {
    ...(Object.fromEntries(columns) as Record<Group, number>),
    events: JSON.stringify(chosen),
  };
}
