/** A phone or tablet that its holder has registered: what the profile service says of it. */
export interface KnownDevice {
  udid: string;
  /** The model's identifier, for example `iPhone14,5`. */
  product: string;
  /** For example `18.1`; null when the device did not tell. */
  osVersion: string | null;
  /** As its holder calls it, or as the owner has renamed it; null when neither did. */
  name: string | null;
}
