/** Details of a registered device, from the profile service. */
export interface KnownDevice {
  udid: string;
  /** Model identifier, for example `iPhone14,5`. */
  product: string;
  /** For example `18.1`. Null if unknown. */
  osVersion: string | null;
  /** Name set by the person or the owner; null if there is none. */
  name: string | null;
}
