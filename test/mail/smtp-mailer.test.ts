import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from 'postal-mime';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { SmtpServer } from '../../src/mail/mail-config.ts';
import type { Mailer } from '../../src/mail/mailer.ts';
import { createSmtpMailer, defaultTimeouts, type SmtpTimeouts } from '../../src/mail/smtp-mailer.ts';
import { type ArrivedMail, describeMailer, sampleMessage } from '../contracts/mailer.ts';
import {
  peerCertificate,
  type ReceivedMail,
  type SmtpFault,
  type SmtpPeer,
  type SmtpPeerOptions,
  startSmtpPeer,
} from '../support/smtp-peer.ts';

const login = { user: 'slipway@example.com', password: 'correct horse: battery/staple' };
const errors: Record<'sent' | 'refused' | 'later' | 'uncertain', SmtpFault | null> = {
  sent: null,
  refused: { code: 550, text: 'no such mailbox' },
  later: { code: 451, text: 'greylisted, come back' },
  uncertain: 'vanish',
};

describeMailer('SMTP mailer, STARTTLS and login', async () => {
  const peer = await startSmtpPeer({ login });
  const mailer = createSmtpMailer({
    server: { host: 'localhost', port: peer.port, tls: 'required', login },
    clientName: 'apps.example.com',
    trustedCertificates: peerCertificate,
  });
  return {
    mailer,
    arrived: async () => peer.received.map(arrivedMail),
    answerWith: (kind) => peer.behave({ message: () => errors[kind] }),
    close: async () => {
      await mailer.close();
      await peer.close();
    },
  };
});

function arrivedMail({ email, from, to }: ReceivedMail): ArrivedMail {
  const mailbox = (address: Address | undefined) => ({
    name: address?.name ?? '',
    address: address?.address ?? '',
  });
  expect([from]).toEqual([email.from?.address]);
  expect(to).toEqual(email.to?.map(({ address }) => address));
  return {
    messageId: email.messageId?.replace(/^<|>$/g, '') ?? '',
    date: Date.parse(email.date ?? ''),
    from: mailbox(email.from),
    to: mailbox(email.to?.[0]),
    subject: email.subject ?? '',
    headers: Object.fromEntries(email.headers.map(({ originalKey, value }) => [originalKey, value])),
    text: email.text ?? '',
    html: (email.html ?? '').trimEnd(),
    pictures: email.attachments.map((attachment) => ({
      contentId: attachment.contentId?.replace(/^<|>$/g, '') ?? '',
      fileName: attachment.filename ?? '',
      contentType: attachment.mimeType,
      bytes: Buffer.from(attachment.content as ArrayBuffer),
    })),
  };
}

describe('SMTP mailer', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  const peerWith = async (options: SmtpPeerOptions = {}): Promise<SmtpPeer> => {
    const peer = await startSmtpPeer(options);
    opened.push(peer);
    return peer;
  };
  /** The one that these cases share, as if it were new. */
  const plainPeer = async () => {
    shared ??= await startSmtpPeer();
    shared.behave({ sender: () => null, recipient: () => null, message: () => null });
    for (const list of [shared.received, shared.asked]) list.length = 0;
    return shared;
  };
  let shared: SmtpPeer | null = null;
  afterAll(() => shared?.close());
  const mailerTo = (
    port: number,
    server: Partial<SmtpServer> = {},
    more: { timeouts?: Partial<SmtpTimeouts>; trusted?: boolean } = {},
  ): Mailer => {
    const mailer = createSmtpMailer({
      server: { host: '127.0.0.1', port, tls: 'offered', login: null, ...server },
      clientName: 'apps.example.com',
      timeouts: { ...defaultTimeouts, ...more.timeouts },
      ...(more.trusted === false ? {} : { trustedCertificates: peerCertificate }),
    });
    opened.push(mailer);
    return mailer;
  };

  it('limits a whole delivery beyond each of its steps', () => {
    const { connectMs, greetingTimeoutMs, idleTimeoutMs, totalMs } = defaultTimeouts;
    expect(Math.max(connectMs, greetingTimeoutMs, idleTimeoutMs)).toBeLessThan(totalMs);
  });

  it('sends over implicit TLS, and over STARTTLS where it is offered', async () => {
    for (const [tls, offer] of [
      ['always', 'always'],
      ['required', 'offered'],
      ['offered', 'offered'],
    ] as const) {
      const peer = await peerWith({ tls: offer });
      expect(await mailerTo(peer.port, { tls }).send(sampleMessage())).toEqual({ kind: 'sent' });
      expect(peer.received).toMatchObject([{ secure: true, to: ['mina@example.com'] }]);
    }
  });

  it('sends unencrypted only where that is allowed', async () => {
    const peer = await peerWith({ tls: 'none' });
    expect(await mailerTo(peer.port, { tls: 'required', login }).send(sampleMessage())).toMatchObject({
      kind: 'later',
    });
    expect(peer.failedLogins).toEqual([]);
    expect(peer.received).toEqual([]);
    for (const tls of ['offered', 'off'] as const) {
      expect(await mailerTo(peer.port, { tls }).send(sampleMessage())).toEqual({ kind: 'sent' });
    }
    expect(peer.received.map(({ secure }) => secure)).toEqual([false, false]);
  });

  it('rejects unknown certificates', async () => {
    for (const [tls, offer] of [
      ['always', 'always'],
      ['required', 'offered'],
      ['offered', 'offered'],
    ] as const) {
      const peer = await peerWith({ tls: offer });
      const outcome = await mailerTo(peer.port, { tls }, { trusted: false }).send(sampleMessage());
      expect(outcome).toMatchObject({ kind: 'later', reason: expect.stringMatching(/certificate/i) });
      expect(peer.received).toEqual([]);
    }
  });

  it('retries later when the login fails, without exposing the password', async () => {
    const wrong = { user: login.user, password: 'hunter2-hunter2' };
    const encoded = Buffer.from(wrong.password).toString('base64');
    const refusal = `go away ${wrong.user}, ${wrong.password} ${encoded}`;
    const peer = await peerWith({ login: { ...login, refusal } });
    const outcome = await mailerTo(peer.port, { tls: 'required', login: wrong }).send(sampleMessage());
    expect(outcome).toMatchObject({ kind: 'later', reason: expect.stringContaining('go away') });
    expect(peer.failedLogins).toEqual([login.user]);
    expect(JSON.stringify(outcome)).not.toContain(wrong.password);
    expect(JSON.stringify(outcome)).not.toContain(encoded);
  });

  it.each<[string, string, SmtpFault, 'refused' | 'later' | 'uncertain']>([
    ['recipient', '550', { code: 550, text: 'no such mailbox' }, 'refused'],
    ['recipient', '452', { code: 452, text: 'mailbox full' }, 'later'],
    ['recipient', '421', { code: 421, text: 'too busy' }, 'later'],
    ['recipient', 'silence', 'vanish', 'later'],
    ['sender', '550', { code: 550, text: 'may not send as that' }, 'later'],
    ['sender', '451', { code: 451, text: 'come back' }, 'later'],
    ['sender', 'silence', 'vanish', 'later'],
    ['message', '554', { code: 554, text: 'looks like spam' }, 'refused'],
    ['message', '451', { code: 451, text: 'come back' }, 'later'],
    ['message', '421', { code: 421, text: 'shutting down' }, 'later'],
    ['message', 'silence', 'vanish', 'uncertain'],
  ])('handles a reply to the %s: %s', async (stage, _, fault, kind) => {
    const peer = await plainPeer();
    peer.behave({ [stage]: () => fault });
    const outcome = await mailerTo(peer.port).send(sampleMessage());
    const reason = typeof fault === 'object' ? expect.stringContaining(fault.text) : expect.any(String);
    expect(outcome).toEqual({ kind, reason });
    expect(peer.received).toEqual([]);
  });

  it('continues over the same connection after one of three emails is rejected', async () => {
    const peer = await plainPeer();
    peer.behave({ recipient: (address) => (address.startsWith('jo@') ? errors.refused : null) });
    const mailer = mailerTo(peer.port);
    const outcomes: string[] = [];
    for (const name of ['mina', 'jo', 'ada']) {
      const to = { name, address: `${name}@example.com` };
      outcomes.push((await mailer.send(sampleMessage({ to, messageId: `${name}@x` }))).kind);
    }
    expect(outcomes).toEqual(['sent', 'refused', 'sent']);
    expect(peer.received.map(({ to }) => to.join())).toEqual(['mina@example.com', 'ada@example.com']);
  });

  it('retries later when the server is unreachable', async () => {
    const peer = await startSmtpPeer();
    await peer.close();
    const outcome = await mailerTo(peer.port).send(sampleMessage());
    expect(outcome).toMatchObject({ kind: 'later', reason: expect.stringContaining('ECONNREFUSED') });
    const nowhere = mailerTo(25, { host: 'mail.invalid' });
    expect(await nowhere.send(sampleMessage())).toMatchObject({ kind: 'later' });
  });

  it.each([
    'x@example.com>\r\nRCPT TO:<y@example.com',
    'y(x)@example.com',
    'x@example.com, y@example.com',
    'group:y@example.com',
    '"x y"@example.com',
    'nobody',
    '',
  ])('sends to exactly one address or to none: %j', async (address) => {
    const peer = await plainPeer();
    const outcome = await mailerTo(peer.port).send(sampleMessage({ to: { name: 'x', address } }));
    expect(outcome).toMatchObject({ kind: 'refused' });
    expect(peer.asked).toEqual([]);
  });

  it.each(["o'brien+builds@example.com", 'Mixed.Case@example.com', 'a_b-c=d@sub.example.com'])(
    'sends to %s',
    async (address) => {
      const peer = await plainPeer();
      const outcome = await mailerTo(peer.port).send(sampleMessage({ to: { name: 'x', address } }));
      expect(outcome).toEqual({ kind: 'sent' });
      expect(peer.asked).toEqual([address]);
    },
  );

  /** A server that sends its lines in order, one for each line of the client, and then nothing. */
  const mumbling = async (lines: readonly string[], trickle?: string) => {
    const sockets = new Set<Socket>();
    const heard: string[] = [];
    const server: Server = createServer((socket) => {
      sockets.add(socket);
      const left = [...lines];
      const say = () => {
        const next = left.shift();
        if (next !== undefined) socket.write(`${next}\r\n`);
        else if (trickle) {
          const timer = setInterval(() => socket.write(trickle), 20);
          socket.on('close', () => clearInterval(timer));
        }
      };
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        heard.push(chunk.toString());
        say();
      });
      say();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    return { port: (server.address() as AddressInfo).port, heard };
  };
  const polite = ['220 mumble', '250 mumble', '250 sender fine', '250 recipient fine', '354 go on'];
  const brief = { connectMs: 1500, greetingTimeoutMs: 1500, idleTimeoutMs: 1500 };

  // At once, because each waits. The limit is far above their timeouts and below the default ones.
  it('times out wherever the server stalls or trickles data', { timeout: 14_000 }, async () => {
    const stalls: [when: string, server: Partial<SmtpServer>, lines: readonly string[], kind: string][] = [
      ['while connecting', { tls: 'always' }, [], 'later'],
      ['before it greets', {}, [], 'later'],
      ['after EHLO', {}, polite.slice(0, 1), 'later'],
      ['after MAIL', {}, polite.slice(0, 2), 'later'],
      ['after RCPT', {}, polite.slice(0, 3), 'later'],
      ['after DATA', {}, polite.slice(0, 4), 'later'],
      ['after the final dot', {}, polite, 'uncertain'],
    ];
    const stalled = stalls.map(async ([when, server, lines, kind]) => {
      const { port, heard } = await mumbling(lines);
      const outcome = await mailerTo(port, server, { timeouts: brief }).send(sampleMessage());
      expect({ when, ...outcome }).toMatchObject({
        when,
        kind,
        reason: expect.stringMatching(/time|never received/i),
      });
      expect([when, heard.join('').includes('\r\n.\r\n')]).toEqual([when, kind === 'uncertain']);
    });
    const trickles: [when: string, lines: readonly string[], kind: string][] = [
      ['before DATA', polite.slice(0, 3), 'later'],
      ['after the final dot', polite, 'uncertain'],
    ];
    const trickled = trickles.map(async ([when, lines, kind]) => {
      const { port } = await mumbling(lines, '2');
      const outcome = await mailerTo(port, {}, { timeouts: { totalMs: 1500 } }).send(sampleMessage());
      expect({ when, ...outcome }).toMatchObject({ when, kind, reason: expect.stringMatching(/time/) });
    });
    await Promise.all([...stalled, ...trickled]);
  });

  it('aborts a stalled send on close', async () => {
    const { port, heard } = await mumbling(polite.slice(0, 3));
    const mailer = mailerTo(port, {}, { timeouts: { closingMs: 50 } });
    const inFlight = mailer.send(sampleMessage());
    while (!heard.join('').includes('RCPT')) await new Promise((resolve) => setImmediate(resolve));
    await mailer.close();
    expect(await inFlight).toMatchObject({ kind: 'later' });
  });
});
