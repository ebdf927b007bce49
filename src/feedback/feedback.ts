/** Feedback sent by testers from a distribution page. */
import type { App } from '../apps/app.ts';
import type { AttemptLimit } from '../limits/attempts.ts';
import { maxScreenshotFileBytes } from '../packages/package-task.ts';

/** `new`: not handled yet. */
export type FeedbackStatus = 'new' | 'in-progress' | 'closed';
export const feedbackStatuses: readonly FeedbackStatus[] = ['new', 'in-progress', 'closed'];

export interface Feedback {
  id: string;
  appId: string;
  buildId: string;
  /** Null if the page was deleted. */
  pageId: string | null;
  pageName: string;
  text: string;
  /** Address for a reply, if the sender gave one. Only shown to people who manage the app. */
  email: string | null;
  /** Name of the sender's account; null for visitors without one. */
  sender: string | null;
  device: string;
  status: FeedbackStatus;
  createdAt: number;
}

/** Feedback in a list. */
export interface ListedFeedback extends Feedback {
  revision: number;
  versionName: string | null;
  versionCode: string;
  screenshots: number;
}

export interface ManagedFeedback {
  app: App;
  feedback: ListedFeedback;
}

export interface Screenshot {
  /** From 1. */
  number: number;
  blob: string;
  sizeBytes: number;
}

export interface FeedbackReply {
  id: string;
  feedbackId: string;
  author: string;
  text: string;
  /** `failed`: refused by the mail server. `uncertain`: the server stopped while sending it. */
  state: 'waiting' | 'sending' | 'sent' | 'failed' | 'uncertain';
  createdAt: number;
}
export const replyStates: readonly FeedbackReply['state'][] = [
  'waiting',
  'sending',
  'sent',
  'failed',
  'uncertain',
];

export interface FeedbackFilter {
  status: FeedbackStatus | null;
  revision: number | null;
}

/** In Unicode characters. */
export const maxFeedbackCharacters = 4_000;
export const maxEmailLength = 254;
export const maxScreenshots = 3;
export const maxScreenshotBytes = maxScreenshotFileBytes;
export const maxFeedbackPerApp = 1_000;
/** Total for one app. Counts toward no quota. */
export const maxStoredScreenshotBytes = 512 * 1024 * 1024;
export const maxReplyCharacters = 4_000;
/** A reply is dropped if it could not be sent for this long. */
export const replyLifetimeMs = 24 * 60 * 60_000;

const hourMs = 60 * 60_000;
/** Limits the replies of an app. */
export const replyLimit: AttemptLimit = {
  limit: 100,
  windowMs: 24 * hourMs,
  refusal: ['replies', { limit: 100 }],
};
