import type { PolicyName } from '../../owners/policies/policies.ts';

export const violationKinds = ['person', 'invitation', 'key', 'page', 'app'] as const;

/** A thing that a policy would restrict. */
export interface Violation {
  kind: (typeof violationKinds)[number];
  /** The name of a person, a key, a page or an app; the address of an invitation. */
  name: string;
  /** The owner of a key, the app of a page, the owner of an app, the address that was used. Null without one. */
  place: string | null;
}

export interface ListedViolation extends Violation {
  policy: PolicyName;
}
