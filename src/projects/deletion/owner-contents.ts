/** The contents that are deleted with an Owner. */
export interface OwnerContents {
  apps: number;
  builds: number;
  bytes: number;
  pages: number;
  devices: number;
  keys: number;
  /** The members of a Project, or the Projects that a person is in. */
  memberships: number;
}
