/** The limit that refused a request. Each value is a series of a metric, so there should be few. */
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
