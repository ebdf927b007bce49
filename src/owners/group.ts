/** A named set of people with access to apps of an owner. Distribution pages can be limited to groups. */
export interface Group {
  id: string;
  name: string;
  /** Number of people in the group. */
  people: number;
}

/** A group that a person manages, of any owner. */
export interface ManagedGroup extends Group {
  owner: { id: string; kind: 'user' | 'project'; name: string };
  workspace: { id: string } | null;
}

export const maxManagersOfGroup = 20;
export const maxGroupsOfOwner = 50;
export const maxPeopleOfGroup = 500;
export const maxGroupNameLength = 64;
