/** Mail of a server with the documented settings. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildIpa } from '../support/build-ipa.ts';
import { freePort } from '../support/free-port.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { peerCertificate, type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts';

const ipa = buildIpa({ bundleIdentifier: 'com.example.tidewatch', name: 'Tidewatch' });
const key = 'slw_key-of-the-administrator';
const administrator = { SLIPWAY_ADMIN_API_KEY: key, SLIPWAY_ADMIN_EMAIL: 'admin@example.com' };
const patience = { timeout: 20_000, interval: 20 };
const login = { user: 'slipway', password: 'hush-hush-7' };

describe('mail of a server', () => {
  let slipway: Installation;
  let peer: SmtpPeer;
  let port: number;
  beforeEach(async () => {
    port = await freePort();
    slipway = await createInstallation('sqlite');
    peer = await startSmtpPeer({ login });
  });
  afterEach(async () => {
    await slipway.remove();
    await peer.close();
  });

  const settings = () => ({
    ...administrator,
    SLIPWAY_PORT: String(port),
    SLIPWAY_URL: `http://localhost:${port}`,
    SLIPWAY_SMTP_URL: `smtp://${login.user}:${login.password}@localhost:${peer.port}`,
    SLIPWAY_MAIL_FROM: 'Slipway <builds@apps.example.com>',
  });
  const upload = async (origin: string) => {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(ipa)], 'app.ipa'));
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${origin}/api/users/admin/apps`, { method: 'POST', headers, body: form });
    expect(response.status).toBe(200);
  };

  it.runIf(runsEverything)('trusts the certificate in NODE_EXTRA_CA_CERTS, as a process', async () => {
    const authority = join(slipway.folder, 'authority.pem');
    await writeFile(authority, peerCertificate);
    const server = await slipway.serve({ environment: { ...settings(), NODE_EXTRA_CA_CERTS: authority } });
    expect(server.output()).not.toContain('/administration/mail');
    await upload(server.origin);
    await vi.waitUntil(() => peer.received.length > 0, patience);
    expect(peer.received[0]).toMatchObject({ to: ['admin@example.com'], secure: true, user: login.user });
    const { stdout, stderr } = await server.stop();
    expect(stdout + stderr).not.toContain(login.password);
  });

  it('is not sent without that certificate, and the log contains neither the password nor its code', async () => {
    const server = await slipway.serveInProcess({ environment: settings() });
    await upload(server.origin);
    await vi.waitUntil(() => /send-mail failed/.test(server.output()), patience);
    const { stdout, stderr } = await server.stop();
    expect(stdout).toMatch(/certificate/);
    for (const secret of [login.password, Buffer.from(login.password).toString('base64')]) {
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(peer.received).toEqual([]);
  });

  it.each([
    ['SLIPWAY_SMTP_URL', 'SLIPWAY_MAIL_FROM'],
    ['SLIPWAY_URL', ''],
  ])('is queued without %s, as the log says at startup', async (...missing) => {
    const environment: Record<string, string> = settings();
    for (const name of missing) delete environment[name];
    const server = await slipway.serveInProcess({ environment });
    expect(server.output()).toMatch(
      new RegExp(`${missing[0]}[^\\n]*stores the emails[^\\n]*/administration/mail`),
    );
    await server.stop();
  });
});
