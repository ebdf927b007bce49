/** The contract of every Mailer, run by the test of each adapter. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Mailer, MailMessage, SendOutcome } from '../../src/mail/mailer.ts';

/** A message as it arrived. */
export type ArrivedMail = Omit<MailMessage, 'pictures'> & {
  pictures: { contentId: string; fileName: string; contentType: string; bytes: Buffer }[];
};

export interface MailerSubject {
  mailer: Mailer;
  arrived(): Promise<ArrivedMail[]>;
  /** The result of all messages sent from now on. */
  answerWith(outcome: SendOutcome['kind']): void;
  close(): Promise<void>;
}

const date = Date.UTC(2026, 10, 21, 9, 40);

export function sampleMessage(changes: Partial<MailMessage> = {}): MailMessage {
  return {
    messageId: 'build-1.user-1@apps.example.com',
    date,
    from: { name: 'Slipway', address: 'builds@apps.example.com' },
    to: { name: 'mina', address: 'mina@example.com' },
    subject: 'Tidewatch 2.4.1 (400) for iOS',
    headers: {
      'List-Unsubscribe': `<https://apps.example.com/unsubscribe/${'k'.repeat(120)}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
    text: 'A new build.\n\n.\n..\nFrom here on\n',
    html: '<!doctype html><html lang="en"><body><p>A new build.</p><img src="cid:icon@build-1" alt=""></body></html>',
    pictures: [
      {
        contentId: 'icon@build-1',
        fileName: 'icon.png',
        contentType: 'image/png',
        bytes: Buffer.from('89504e470d0a1a0a00ff0d0a2e0d0a', 'hex'),
      },
    ],
    ...changes,
  };
}

const hostile: Record<string, string> = {
  'a line break': 'Tide\r\nBcc: everybody@example.com\r\n\r\nwatch',
  'a bare line feed': 'Tide\nX-Evil: yes',
  quotes: `"Tide" <'watch'> \\ , ; : ( ) @`,
  unicode: 'Ебb & flöw 潮見 🚢 \u202eevil',
  'a long text': 'Tidewatch '.repeat(60).trim(),
};

/** Normalizes line breaks, whose kind and number at the end depend on the transport. */
const lines = (text: string | undefined) => text?.replaceAll('\r\n', '\n').trimEnd();

export function describeMailer(name: string, open: () => Promise<MailerSubject>): void {
  describe(name, () => {
    let subject: MailerSubject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close());

    test('delivers a message unchanged', async () => {
      const message = sampleMessage();
      expect(await subject.mailer.send(message)).toEqual({ kind: 'sent' });
      const [arrived, ...more] = await subject.arrived();
      expect(more).toEqual([]);
      expect({ ...arrived, text: lines(arrived?.text) }).toMatchObject({
        ...message,
        text: lines(message.text),
        pictures: [expect.anything()],
      });
      expect(arrived?.pictures).toEqual(
        message.pictures.map((picture) => ({ ...picture, bytes: Buffer.from(picture.bytes) })),
      );
    });

    test.each(Object.entries(hostile))(
      'keeps a subject, a text, a sender and a recipient with %s within their fields',
      async (_, text) => {
        const message = sampleMessage({
          from: { name: text, address: 'builds@apps.example.com' },
          to: { name: text, address: 'mina@example.com' },
          subject: text,
          text: `${text}\n`,
        });
        expect(await subject.mailer.send(message)).toEqual({ kind: 'sent' });
        const [arrived] = await subject.arrived();
        const line = (given: string | undefined) => given?.replace(/\s+/g, ' ');
        expect(line(arrived?.subject)).toBe(line(text));
        expect(lines(arrived?.text)).toBe(lines(message.text));
        expect(arrived?.from.address).toBe('builds@apps.example.com');
        expect(arrived?.to.address).toBe('mina@example.com');
        expect(line(arrived?.to.name)).toBe(line(text));
        expect(arrived?.headers).toMatchObject(message.headers);
        expect(
          Object.keys(arrived?.headers ?? {})
            .join()
            .toLowerCase(),
        ).not.toMatch(/bcc|evil/);
      },
    );

    test.each(['refused', 'later', 'uncertain'] as const)(
      'reports why a message is %s, and continues',
      async (kind) => {
        subject.answerWith(kind);
        const outcome = await subject.mailer.send(sampleMessage());
        expect(outcome).toEqual({ kind, reason: expect.stringMatching(/^\S[^\r\n]*$/) });
        expect(await subject.arrived()).toEqual([]);
        subject.answerWith('sent');
        expect(await subject.mailer.send(sampleMessage())).toEqual({ kind: 'sent' });
        expect(await subject.arrived()).toHaveLength(1);
      },
    );

    test('delivers each of many concurrent messages exactly once', async () => {
      const ids = Array.from({ length: 40 }, (_, index) => `build-1.user-${index}@apps.example.com`);
      const outcomes = await Promise.all(
        ids.map((messageId) => subject.mailer.send(sampleMessage({ messageId }))),
      );
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['sent']));
      expect((await subject.arrived()).map(({ messageId }) => messageId).sort()).toEqual(ids.sort());
    });

    test('finishes messages in progress when it closes, and accepts no more', async () => {
      const inFlight = subject.mailer.send(sampleMessage());
      await subject.mailer.close();
      expect(await inFlight).toEqual({ kind: 'sent' });
      expect(await subject.mailer.send(sampleMessage())).toMatchObject({ kind: 'later' });
      await subject.mailer.close();
      expect(await subject.arrived()).toHaveLength(1);
    });
  });
}
