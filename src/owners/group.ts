/** A named set of people with access to apps of one owner. Distribution pages can admit only some groups. */
export interface Group {
  id: string;
  name: string;
  /** How many people are in it. */
  people: number;
}

export const maxGroupsOfOwner = 50;
export const maxPeopleOfGroup = 500;
export const maxGroupNameLength = 64;
