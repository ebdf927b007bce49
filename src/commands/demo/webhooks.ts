/** Webhooks to a receiver on this machine, which accepts all requests for any address and does nothing. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FindTarget } from '../../core/outbound/outbound-target.ts';
import { readWebhookAddress } from '../../webhooks/webhook-address.ts';
import { appPath, findApp } from './apps.ts';
import { type DemoSubject, daysBefore, demoDays } from './demo.ts';

export interface WebhookSink {
  /** Sends every request to this receiver over plain HTTP, so that the demo sends nothing to the internet. */
  findTarget: FindTarget;
  close(): Promise<void>;
}

export async function openWebhookSink(): Promise<WebhookSink> {
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'Content-Type': 'text/plain', Server: 'demo' }).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    findTarget: async (address) => {
      const read = readWebhookAddress(address);
      if ('problem' in read) return { fault: 'not-allowed', detail: null };
      const { pathname, search } = read.url;
      const url = new URL(`http://127.0.0.1:${port}${pathname}${search}`);
      return { url, addresses: [{ address: '127.0.0.1', family: 4 }], isPublic: true };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const planWebhooks: DemoSubject = (endsAt) => {
  const at = daysBefore(endsAt, demoDays + 1, 10);
  const tideline = `${appPath(findApp('tideline-android'))}/hooks`;
  const webhooks = [
    {
      page: '/organizations/halden-labs/hooks',
      name: 'Release channel',
      kind: 'slack',
      path: '/hooks/releases',
    },
    { page: tideline, name: 'Device lab', kind: 'json', path: '/device-lab' },
  ];
  return webhooks.map(({ page, name, kind, path }, index) => ({
    // The app exists only from its first build on.
    at: index === 0 ? at : daysBefore(endsAt, 10, 10),
    run: async (demo) => {
      const url = `https://chat.haldenlabs.example${path}`;
      await (await demo.as('jonas')).submit(page, '/hooks/create', { name, kind, url });
    },
  }));
};
