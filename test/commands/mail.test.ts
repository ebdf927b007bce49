/** Mail in separate processes with the documented settings. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildIpa } from '../support/build-ipa.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';
import { peerCertificate, type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts';

const ipa = buildIpa({ bundleIdentifier: 'com.example.tidewatch', name: 'Tidewatch' });
const key = 'slw_key-of-the-administrator';
const administrator = { SLIPWAY_ADMIN_API_KEY: key, SLIPWAY_ADMIN_EMAIL: 'admin@example.com' };
const login = { user: 'slipway', password: 'hush-hush-7' };

describe('mail sent by a separate process', () => {
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

  it('trusts the certificate in NODE_EXTRA_CA_CERTS', async () => {
    const authority = join(slipway.folder, 'authority.pem');
    await writeFile(authority, peerCertificate);
    const server = await slipway.serve({ environment: { ...settings(), NODE_EXTRA_CA_CERTS: authority } });
    expect(server.output()).not.toContain('/administration/mail');
    await upload(server.origin);
    while (peer.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(peer.received[0]).toMatchObject({ to: ['admin@example.com'], secure: true, user: login.user });
    const { stdout, stderr } = await server.stop();
    expect(stdout + stderr).not.toContain(login.password);
  });

  it('is not sent without that certificate, and the log contains neither the password nor its code', async () => {
    const server = await slipway.serve({ environment: settings() });
    await upload(server.origin);
    while (!/send-mail failed/.test(server.output())) await new Promise((resolve) => setTimeout(resolve, 20));
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
    const server = await slipway.serve({ environment });
    expect(server.output()).toMatch(
      new RegExp(`${missing[0]}[^\\n]*stores the emails[^\\n]*/administration/mail`),
    );
    await server.stop();
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
