/** Which limit a request met, as operators read it. Few by their nature: each is a series of a metric. */
export type RefusedKind =
  | 'attempt'
  | 'wrong-key'
  | 'upload-by-key'
  | 'upload-by-owner'
  | 'refused-upload'
  | 'request-by-caller'
  | 'request-by-network'
  | 'concurrent-by-network'
  | 'concurrent';

/** `from`: the network or the name of the owner; null where nothing may be told. */
export type TellRefused = (kind: RefusedKind, from: string | null) => void;
