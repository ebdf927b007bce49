/** Trusted publishers: CIs whose ID tokens an owner accepts in exchange for an API key of 15 minutes. */
import type { RestrictedApp } from '../../owners/actor.ts';
import type { TrustedProvider } from '../../owners/build-source.ts';

/** What the token must say. Values of GitHub repositories ignore case; all others compare exactly. */
export type ClaimRule = { claim: string } & (
  | { equals: string; one_of?: undefined; prefix?: undefined }
  | { one_of: readonly string[]; equals?: undefined; prefix?: undefined }
  | { prefix: string; equals?: undefined; one_of?: undefined }
);

/** By the repository that the rules name: the ids that its first token had. `*`: those of all repositories that a prefix admits. */
export type PinnedIds = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface TrustedPublisher {
  id: string;
  ownerId: string;
  /** Distinguishes the publishers of an owner. */
  name: string;
  /** Null: every app of the owner. The app need not exist yet. */
  app: Omit<RestrictedApp, 'ownerId'> | null;
  /** Names of the pages that its uploads may choose; `*` stands for any text. Null: every page. */
  pageNamePattern: string | null;
  provider: TrustedProvider;
  /** Equals the claim `iss` byte for byte. */
  issuer: string;
  rules: readonly ClaimRule[];
  pinned: PinnedIds;
  /** Only for GitHub: whether runners of the repository's owner may upload, too. */
  allowsSelfHosted: boolean;
  createdAt: number;
  /** Name of the person who created it; null if unknown. */
  createdBy: string | null;
  /** Whether that person has left the Project. The publisher belongs to the Project and stays. */
  creatorLeft: boolean;
  lastUsedAt: number | null;
  lastRefusedAt: number | null;
  lastRefusal: Refusal | null;
}

/** Why a token with a valid signature was refused. Stored as JSON, so that every reader gets it in their language. */
export interface Refusal {
  code: 'claim_differs' | 'event_refused' | 'self_hosted_runner' | 'pinned_id_differs';
  claim: string;
  /** As people read it: `a`, `a, b` or `a*`. */
  wanted: string;
  /** Null if the token has no such claim. */
  found: string | null;
}

export const publisherLimits = {
  perOwner: 20,
  nameLength: 100,
  issuerLength: 255,
  rules: 10,
  claimLength: 100,
  values: 20,
  valueLength: 255,
  pageNamePatternLength: 255,
} as const;

export const isPackageName = (text: string): boolean => /^[\w.-]{1,255}$/.test(text);
