/** A mail to one person about one build, from the moment it is owed until it is settled. */
import type { Platform } from '../packages/package-info.ts';

/**
 * `waiting`: to be sent, or to be tried again. `sending`: handed to the mail server at this moment. `sent`: it has taken
 * it. `dead`: refused for good, or tried in vain for a day. `uncertain`: the mail server had all of it and did not answer;
 * it is not sent again, because it could arrive twice. `closed`: not wanted any more, or too old before it was tried.
 * `kept`: there was nowhere to send it.
 */
export const mailStates = ['waiting', 'sending', 'sent', 'dead', 'uncertain', 'closed', 'kept'] as const;
export type MailState = (typeof mailStates)[number];

export interface Mail {
  id: string;
  userId: string;
  buildId: string;
  /** The distribution page that the upload named. */
  pageId: string | null;
  address: string;
  state: MailState;
  /** How often it was handed to the mail server. */
  attempts: number;
  lastError: string | null;
  createdAt: number;
  updatedAt: number;
}

/** One line of the administrator's list. */
export interface MailLine {
  mail: Mail;
  userName: string;
  appName: string;
  versionName: string | null;
  versionCode: string;
  platform: Platform;
}

/** An app that a person may see, with whether its builds are mailed to that person. */
export interface MailChoice {
  appId: string;
  platform: Platform;
  packageName: string;
  ownerName: string;
  /** As the newest build says; null when every build has been deleted. */
  appName: string | null;
  wanted: boolean;
}

/** Where an app stands in the list of choices: iOS first, then by package name. */
export type MailChoicePlace = Pick<MailChoice, 'platform' | 'packageName' | 'appId'>;

const day = 24 * 60 * 60_000;

/** Who hears of a build a day late has heard of it otherwise. */
export const maxMailAgeMs = day;
/** Rows are for the administrator to look at, and hold addresses: they go when they are of no use any more. */
export const mailKeptMs = 90 * day;

/** What somebody who has not chosen gets: iOS testers wait for builds, Android testers ask for them. */
export const mailedByDefault: Readonly<Record<Platform, boolean>> = { ios: true, android: false };
