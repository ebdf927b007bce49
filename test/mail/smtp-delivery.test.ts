/** From an upload over HTTP to a mailbox behind a real SMTP server with STARTTLS and login. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
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
import { runsEverything } from '../support/runs-everything.ts';
import { peerCertificate, type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts';

const login = { user: 'slipway@example.com', password: 'p@ss/w:rd ü' };
const hour = 60 * 60_000;
const people = ['admin', 'jo', 'mina'].map((name) => `${name}@example.com`);

describe('SMTP delivery', () => {
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
    installation = await createInstallation('sqlite');
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

  it('delivers a complete build email with one-click unsubscribe to each person over TLS', async () => {
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

    // One-click unsubscribe works without cookies.
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

  it.runIf(runsEverything)('waits for a valid password, which appears in no page and no row', async () => {
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

  it.runIf(runsEverything)('survives a restart of Slipway between the upload and the email', async () => {
    await peer.close();
    const { port } = peer;
    await upload();
    await slipway.stop();
    peer = await startSmtpPeer({ login, port });
    installation.clock.now += hour;
    slipway = await start();
    await settleOutbox(slipway);
    expect(recipients()).toEqual(people);
    installation.clock.now += hour;
    await settleOutbox(slipway);
    expect(peer.received).toHaveLength(3);
  });
});
