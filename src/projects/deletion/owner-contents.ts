/** The contents that are deleted with an Owner. */
export interface OwnerContents {
  apps: number;
  builds: number;
  bytes: number;
  pages: number;
  devices: number;
  keys: number;
  /** Of a Project: its people. Of a person: the Projects they are in. */
  memberships: number;
}
