export const latestBuildTexts = {
  /** `{}`: the revision. */
  newBuild: 'New build #{}.',
  show: 'Show',
};
