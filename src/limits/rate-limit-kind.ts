/** The limit that refused a request. Each value is one series of a metric, so keep the number small. */
export type RefusedKind =
  | 'attempt'
  | 'wrong-key'
  | 'upload-by-key'
  | 'upload-by-owner'
  | 'refused-upload'
  | 'failed-package'
  | 'request-by-caller'
  | 'request-by-network'
  | 'concurrent-by-network'
  | 'concurrent';

/** Reports a refused request. `from` is the network or the owner's name; null if it must not be disclosed. */
export type OnRefused = (kind: RefusedKind, from: string | null) => void;
