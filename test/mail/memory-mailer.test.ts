import type { SendOutcome } from '../../src/mail/mailer.ts';
import { createMemoryMailer } from '../../src/mail/memory-mailer.ts';
import { describeMailer } from '../contracts/mailer.ts';

describeMailer('memory mailer', async () => {
  let outcome: SendOutcome = { kind: 'sent' };
  const mailer = createMemoryMailer(() => outcome);
  return {
    mailer,
    arrived: async () =>
      mailer.sent.map((message) => ({
        ...message,
        pictures: message.pictures.map((picture) => ({ ...picture, bytes: Buffer.from(picture.bytes) })),
      })),
    answerWith: (kind) => {
      outcome = kind === 'sent' ? { kind } : { kind, reason: 'because of the test' };
    },
    close: () => mailer.close(),
  };
});
