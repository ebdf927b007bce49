/** What the ID token of a CI said about the build, stored with the key it was exchanged for and with each build uploaded with that key. */
export const trustedProviders = [
  'github',
  'gitlab',
  'circleci',
  'bitbucket',
  'buildkite',
  'bitrise',
  'other',
] as const;

export type TrustedProvider = (typeof trustedProviders)[number];

/** Only from claims, never from what the uploader typed. Null where the token says nothing. */
export interface BuildSource {
  provider: TrustedProvider;
  /** As the provider writes it, such as `acme/tide`. */
  repository: string | null;
  commit: string | null;
  /** As the provider writes it, such as `refs/heads/main`. */
  ref: string | null;
  workflow: string | null;
  run_id: string | null;
  run_url: string | null;
  actor: string | null;
}

/** Parses a stored value. */
export const parseProvider = (text: string): TrustedProvider =>
  trustedProviders.find((one) => one === text) ?? 'other';

export const providerNames: Readonly<Record<Exclude<TrustedProvider, 'other'>, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  circleci: 'CircleCI',
  bitbucket: 'Bitbucket',
  buildkite: 'Buildkite',
  bitrise: 'Bitrise',
};

const runPaths: Partial<Record<TrustedProvider, { run: string; commit: string }>> = {
  github: { run: '/actions/runs/', commit: '/commit/' },
  gitlab: { run: '/-/pipelines/', commit: '/-/commit/' },
  bitbucket: { run: '/pipelines/results/', commit: '/commits/' },
};

/** Returns the https addresses of run and commit, which Slipway builds from provider and claims; null where there is none. */
export function sourceLinks({ provider, run_url: runUrl, commit }: BuildSource): {
  run: string | null;
  commit: string | null;
} {
  const url = runUrl === null || provider === 'other' ? null : URL.parse(runUrl);
  if (url?.protocol !== 'https:') return { run: null, commit: null };
  const paths = runPaths[provider];
  const end = paths ? url.href.lastIndexOf(paths.run) : -1;
  const isDigest = commit !== null && /^[0-9a-f]{7,64}$/i.test(commit);
  return {
    run: url.href,
    commit: paths && end > 0 && isDigest ? `${url.href.slice(0, end)}${paths.commit}${commit}` : null,
  };
}
