/** The interface for sending email. */

export interface MailAddress {
  name: string;
  address: string;
}

/** One message to one person. Texts can contain uploaded values, so an adapter must prevent header injection. */
export interface MailMessage {
  /** Message ID without angle brackets, stable per build and person. */
  messageId: string;
  /** Epoch milliseconds. */
  date: number;
  from: MailAddress;
  to: MailAddress;
  subject: string;
  /** Additional header fields in ASCII. */
  headers: Readonly<Record<string, string>>;
  text: string;
  /** References its images as `cid:` plus content ID. */
  html: string;
  pictures: readonly InlineImage[];
}

export interface InlineImage {
  contentId: string;
  fileName: string;
  contentType: 'image/png';
  bytes: Uint8Array;
}

/**
 * `sent`: the server accepted the message. `refused`: permanently rejected, for example for an unknown mailbox.
 * `later`: not accepted, but a retry may succeed. `uncertain`: the server received the message but did not confirm it,
 * so a retry could deliver it twice. Reasons are one line for administrators.
 */
export type SendOutcome = { kind: 'sent' } | { kind: 'refused' | 'later' | 'uncertain'; reason: string };

export interface Mailer {
  /** Resolves in bounded time. Rejects only for bugs. */
  send(message: MailMessage): Promise<SendOutcome>;
  /** Gives running sends a moment to finish, then aborts them: they resolve to `later` or `uncertain`. */
  close(): Promise<void>;
}
