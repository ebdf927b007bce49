/** From an upload over HTTP to a mailbox behind a real SMTP server with STARTTLS and login. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { leaseMs } from '../../src/jobs/outbox.ts';
import { createSmtpMailer } from '../../src/mail/smtp-mailer.ts';
import { createOwnerOperations } from '../../src/owners/create-owners.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import {
  addPerson,
  createInstallation,
  type Installation,
  ipa,
  mailSettings,
  mailStatesOf,
  type RunningService,
  settleOutbox,
} from '../support/mail-service.ts';
import { peerCertificate, type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts';
import { mainDialects } from '../support/test-database.ts';

const login = { user: 'slipway@example.com', password: 'p@ss/w:rd ü' };
const hour = 60 * 60_000;
const people = ['admin', 'jo', 'mina'].map((name) => `${name}@example.com`);

describe.each(mainDialects)('SMTP delivery on %s', (dialect) => {
  let installation: Installation;
  let peer: SmtpPeer;
  let slipway: RunningService;

  /** The mailer as configured by the settings, which trusts the peer's self-signed certificate. */
  const mailerFor = (port: number) => {
    const user = encodeURIComponent(login.user);
    const { mail } = readConfig({
      ...mailSettings,
      SLIPWAY_SMTP_URL: `smtp://${user}:${encodeURIComponent(login.password)}@localhost:${port}`,
    });
    if (!mail) throw new Error('no mail server');
    return createSmtpMailer({
      server: mail.smtp,
      clientName: 'apps.example.com',
      trustedCertificates: peerCertificate,
    });
  };
  const start = async () => installation.start({ mailer: mailerFor(peer.port) });
  beforeEach(async () => {
    installation = await createInstallation(dialect);
    peer = await startSmtpPeer({ login });
    slipway = await start();
    const owners = createOwnerOperations({ data: slipway.data, now: () => 1 });
    const by = 'command-line';
    await owners.createProject({
      name: 'harbour',
      description: '',
      workspaceName: null,
      ownerName: null,
      by,
    });
    for (const userName of ['mina', 'jo']) {
      await addPerson(slipway, userName);
      await owners.addToTeam({ projectName: 'harbour', team: 'tester', userName, by });
    }
  });
  afterEach(async () => {
    await slipway.stop();
    await peer.close();
    await installation.remove();
  });

  const upload = async () => {
    const result = await uploaded(slipway, {
      owner: 'harbour',
      file: ipa,
      fields: { distribution_name: 'main', release_note: 'Faster.\n\n* one\n* two' },
    });
    await settleOutbox(slipway);
    return result;
  };
  const recipients = () => peer.received.map(({ to }) => to.join()).sort();

  it('delivers a complete build email to each person over TLS', async () => {
    const result = await upload();
    expect(recipients()).toEqual(people);
    for (const { email, to, from, secure, user, raw } of peer.received) {
      expect({ secure, user, from }).toEqual({
        secure: true,
        user: login.user,
        from: 'builds@apps.example.com',
      });
      expect(email.to?.map(({ address }) => address)).toEqual(to);
      expect(email.from).toMatchObject({ name: 'Slipway', address: 'builds@apps.example.com' });
      expect(email.subject).toBe('Tidewatch 2.4.1 (400) for iOS');
      const link = `${result.revision_url}/install?page=${result.distribution?.access_key}`;
      expect(email.html).toContain(`href="${link}"`);
      expect(email.text).toContain(link);
      const [icon] = email.attachments;
      expect(icon).toMatchObject({ mimeType: 'image/png', disposition: 'inline' });
      expect(email.html).toContain(`cid:${icon?.contentId?.slice(1, -1)}`);
      expect(
        raw
          .toString('latin1')
          .split('\r\n')
          .filter((line) => line.length > 998),
      ).toEqual([]);
    }
    const ids = peer.received.map(({ email }) => email.messageId);
    expect(new Set(ids).size).toBe(3);
  });

  it('supports one-click unsubscribe without cookies', async () => {
    await upload();
    const mail = peer.received.find(({ to }) => to.includes('jo@example.com'));
    const header = (key: string) => mail?.email.headers.find((one) => one.key === key)?.value;
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const address = /^<(https:\/\/apps\.example\.com\/unsubscribe\/[^>]+)>$/.exec(
      header('list-unsubscribe') ?? '',
    )?.[1];
    expect(mail?.email.text).toContain(address);
    const answer = await send(slipway.port, new URL(address ?? '').pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(answer.status).toBe(200);
    peer.received.length = 0;
    await upload();
    expect(recipients()).toEqual(people.filter((one) => !one.startsWith('jo')));
  });

  it('continues when one of three emails is permanently rejected', async () => {
    peer.behave({
      recipient: (to) => (to.startsWith('jo') ? { code: 550, text: '5.1.1 no such mailbox' } : null),
    });
    await upload();
    installation.clock.now += hour;
    await settleOutbox(slipway);
    expect(recipients()).toEqual(people.filter((one) => !one.startsWith('jo')));
    expect(peer.asked.filter((one) => one.startsWith('jo'))).toHaveLength(1);
    expect((await mailStatesOf(slipway))['jo@example.com']).toMatchObject({
      state: 'dead',
      lastError: expect.stringContaining('no such mailbox'),
    });
  });

  it('waits when the server returns 4xx or is down for an hour', async () => {
    peer.behave({
      message: (to) => (to.startsWith('mina') ? { code: 451, text: '4.7.1 greylisted' } : null),
    });
    await upload();
    expect(recipients()).toEqual(people.filter((one) => !one.startsWith('mina')));
    const { port } = peer;
    await peer.close();
    for (let minutes = 0; minutes < 60; minutes += 20) {
      installation.clock.now += hour / 3;
      await settleOutbox(slipway);
    }
    const waiting = (await mailStatesOf(slipway))['mina@example.com'];
    expect(waiting).toMatchObject({
      state: 'waiting',
      lastError: expect.stringMatching(/ECONNREFUSED|closed/),
    });
    const before = peer.received;
    peer = await startSmtpPeer({ login, port });
    installation.clock.now += hour;
    await settleOutbox(slipway);
    expect(recipients()).toEqual(['mina@example.com']);
    expect(before).toHaveLength(2);
    expect((await mailStatesOf(slipway))['mina@example.com']).toMatchObject({ state: 'sent' });
  });

  it('does not resend when the server dies after receiving the complete email', async () => {
    peer.behave({ message: (to) => (to.startsWith('jo') ? 'vanish' : null) });
    await upload();
    peer.behave({ message: () => null });
    installation.clock.now += 5 * hour;
    await settleOutbox(slipway);
    expect(recipients()).toEqual(people.filter((one) => !one.startsWith('jo')));
    expect((await mailStatesOf(slipway))['jo@example.com']).toMatchObject({
      state: 'uncertain',
      attempts: 1,
    });
  });

  it('waits for a valid password, which appears in no page and no row', async () => {
    await slipway.stop();
    await peer.close();
    peer = await startSmtpPeer({
      login: { user: login.user, password: 'another', refusal: `no ${login.password}` },
    });
    slipway = await start();
    await upload();
    const { port } = peer;
    expect(peer.failedLogins).toHaveLength(3);
    for (const { state, lastError } of Object.values(await mailStatesOf(slipway))) {
      expect(state).toBe('waiting');
      expect(lastError).not.toContain(login.password);
    }
    await peer.close();
    peer = await startSmtpPeer({ login, port });
    installation.clock.now += hour;
    await settleOutbox(slipway);
    expect(recipients()).toEqual(people);
  });

  it('survives a restart of Slipway between the upload and the email', async () => {
    await peer.close();
    const { port } = peer;
    await upload();
    await slipway.stop();
    peer = await startSmtpPeer({ login, port });
    installation.clock.now += Math.max(leaseMs, hour);
    slipway = await start();
    await settleOutbox(slipway);
    expect(recipients()).toEqual(people);
    installation.clock.now += hour;
    await settleOutbox(slipway);
    expect(peer.received).toHaveLength(3);
  });
});
