/** Webhooks to a receiver on this machine, which accepts everything and does nothing. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appPath, findApp } from './apps.ts';
import { type DemoSubject, daysBefore, demoDays } from './demo.ts';

export interface WebhookSink {
  port: number;
  close(): Promise<void>;
}

export async function openWebhookSink(): Promise<WebhookSink> {
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
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
    // The app exists from its first build.
    at: index === 0 ? at : daysBefore(endsAt, 10, 10),
    run: async (demo) => {
      const address = `http://chat.haldenlabs.example:${demo.webhookPort}${path}`;
      await (await demo.as('jonas')).submit(page, '/hooks/create', { name, kind, address });
    },
  }));
};
