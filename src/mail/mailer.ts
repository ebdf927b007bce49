/** The port to whoever carries mail away. */

export interface MailAddress {
  name: string;
  address: string;
}

/** One message for one person. Every text may hold what uploads say: an adapter keeps it from becoming another header. */
export interface MailMessage {
  /** Without angle brackets; the same for the same build and person, whenever it is made. */
  messageId: string;
  /** Epoch milliseconds. */
  date: number;
  from: MailAddress;
  to: MailAddress;
  subject: string;
  /** Further header fields, in ASCII. */
  headers: Readonly<Record<string, string>>;
  text: string;
  /** Names its pictures as `cid:` and the content id. */
  html: string;
  pictures: readonly InlinePicture[];
}

export interface InlinePicture {
  contentId: string;
  fileName: string;
  contentType: 'image/png';
  bytes: Uint8Array;
}

/**
 * `sent`: the server has taken the message. `refused`: it never will, for example because it knows no such mailbox.
 * `later`: it has not taken it, another try may do. `uncertain`: it had the whole message and did not answer, so that a
 * second try could arrive twice. Reasons are one line for an administrator.
 */
export type SendOutcome = { kind: 'sent' } | { kind: 'refused' | 'later' | 'uncertain'; reason: string };

export interface Mailer {
  /** Answers in bounded time, whatever the server does; rejects for defects alone. */
  send(message: MailMessage): Promise<SendOutcome>;
  /** Gives sends under way a moment to end, then cuts them off: they answer `later` or `uncertain`. */
  close(): Promise<void>;
}
