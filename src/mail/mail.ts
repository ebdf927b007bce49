/** An email to one person about one build. */
import type { Platform } from '../packages/package-info.ts';

/**
 * `waiting`: will be sent or retried. `sending`: being sent. `sent`: accepted by the mail server. `dead`: permanently rejected,
 * or failed for a day. `uncertain`: the mail server received it but did not confirm it, so it is not repeated. `closed`: no
 * longer wanted, or too old before the first attempt. `kept`: stored because no mail server was configured.
 */
export const mailStates = ['waiting', 'sending', 'sent', 'dead', 'uncertain', 'closed', 'kept'] as const;
export type MailState = (typeof mailStates)[number];

export interface Mail {
  id: string;
  userId: string;
  /** Null after the build was deleted; the email then has no text anymore. */
  buildId: string | null;
  /** The distribution page of the upload. */
  pageId: string | null;
  address: string;
  state: MailState;
  /** Number of attempts. */
  attempts: number;
  lastError: string | null;
  createdAt: number;
  updatedAt: number;
}

/** The subject of an email, stored with it because it outlives the build. */
export interface MailAbout {
  app: string;
  versionName: string | null;
  versionCode: string;
  platform: Platform;
}

export interface MailListItem {
  mail: Mail;
  userName: string;
  about: MailAbout;
}

/** An app that a person has access to, with their email setting. */
export interface MailChoice {
  appId: string;
  platform: Platform;
  packageName: string;
  ownerName: string;
  /** Name of the newest build. Null if all builds were deleted. */
  appName: string | null;
  wanted: boolean;
}

/** Position in the settings list: iOS first, then by package name. */
export type MailChoicePosition = Pick<MailChoice, 'platform' | 'packageName' | 'appId'>;

const day = 24 * 60 * 60_000;

/** After a day, recipients know about the build already. */
export const maxMailAgeMs = day;
/** The rows are kept for administrators. They contain addresses, so they are deleted after this time. */
export const mailRetentionMs = 90 * day;

/** The default: on for iOS, because its testers wait for builds, and off for Android. */
export const mailedByDefault: Readonly<Record<Platform, boolean>> = { ios: true, android: false };
