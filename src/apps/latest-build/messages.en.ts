export const en = {
  /** `{}`: the revision. */
  newBuild: 'New build #{revision}.',
  show: 'Show',
} as const;
