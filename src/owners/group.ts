/** A named set of people with access to apps of an owner. Distribution pages can be limited to groups. */
export interface Group {
  id: string;
  name: string;
  /** Number of people in the group. */
  people: number;
}

/** A group that a person manages, of any owner. */
export interface ManagedGroup extends Group {
  owner: { kind: 'user' | 'project'; name: string };
}

export const maxManagersOfGroup = 20;
export const maxGroupsOfOwner = 50;
export const maxPeopleOfGroup = 500;
export const maxGroupNameLength = 64;
