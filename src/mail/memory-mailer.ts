import type { Mailer, MailMessage, SendOutcome } from './mailer.ts';

export interface MemoryMailer extends Mailer {
  /** Accepted messages in order. */
  sent: MailMessage[];
}

/** Stores messages. `answer` decides their outcome; by default, all are accepted. */
export function createMemoryMailer(
  answer: (message: MailMessage) => SendOutcome | Promise<SendOutcome> = () => ({ kind: 'sent' }),
): MemoryMailer {
  const sent: MailMessage[] = [];
  let closed = false;
  return {
    sent,
    send: async (message) => {
      if (closed) return { kind: 'later', reason: 'the mailer is closed' };
      const outcome = await answer(message);
      if (outcome.kind === 'sent') sent.push(message);
      return outcome;
    },
    close: async () => {
      closed = true;
    },
  };
}
