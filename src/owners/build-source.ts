/** What the id token of a CI said about the build, stored with the key it was exchanged for and with each build uploaded with that key. */
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

/** Of a stored value. */
export const parseProvider = (text: string): TrustedProvider =>
  trustedProviders.find((one) => one === text) ?? 'other';
