/** A SAML provider that people visit with a browser, on a site other than the one of the service. */
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import {
  type AssertionFields,
  answer,
  encode,
  logoutResponseOf,
  readRequest,
  type SamlProvider,
  signedQuery,
} from './saml-provider.ts';

export interface SamlProviderServer {
  origin: string;
  /** Called once the service is known. */
  serve(provider: SamlProvider, person?: Partial<AssertionFields>): void;
  close(): Promise<void>;
}

/** Browsers consider `localhost` another site than 127.0.0.1. */
export async function startSamlProviderServer(): Promise<SamlProviderServer> {
  let provider: SamlProvider | null = null;
  let signedIn: Partial<AssertionFields> = {};
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (!provider) response.writeHead(503).end();
    else if (url.pathname === '/sign-out') {
      const done = logoutResponseOf(provider, readRequest(url.href).id);
      const query = signedQuery('SAMLResponse', done, provider.keys);
      response.writeHead(302, { Location: `${provider.acs.replace(/acs$/, 'logout')}?${query}` }).end();
    } else {
      const inResponseTo = url.searchParams.has('SAMLRequest') ? readRequest(url.href).id : null;
      sendForm(response, provider, { ...signedIn, inResponseTo });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    serve: (given, person = {}) => {
      provider = given;
      signedIn = person;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendForm(response: ServerResponse, provider: SamlProvider, fields: Partial<AssertionFields>): void {
  const sent = encode(answer(provider, fields));
  const page = `<!doctype html><title>Example</title><form method="post" action="${provider.acs}">
<input type="hidden" name="SAMLResponse" value="${sent}"><input type="hidden" name="RelayState" value="/settings">
<button>Sign in at Example</button></form>`;
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
}

export interface Forwarder {
  origin: string;
  /** Where connections lead from now on. */
  port: number;
  close(): Promise<void>;
}

/** An address that is known before the service that is reached by it. */
export async function startForwarder(): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((incoming) => {
    const outgoing = connect(forwarder.port, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const forwarder: Forwarder = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    port: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return forwarder;
}
