import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** Runs an HTTP proxy that supports only CONNECT, and records the requested targets. */
export interface ConnectProxy {
  readonly port: number;
  readonly asked: { target: string; authorization: string | undefined }[];
  close(): Promise<void>;
}

/** Starts a proxy on 127.0.0.1. The proxy refuses a target when `statusOf` returns a status other than 200. */
export async function startConnectProxy(
  statusOf: (target: string, authorization: string | undefined) => number = () => 200,
): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, client) => {
    const target = request.url ?? '';
    const authorization = request.headers['proxy-authorization'];
    asked.push({ target, authorization });
    client.on('error', () => undefined);
    const status = statusOf(target, authorization);
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 6\r\n\r\nsecret`);
      return;
    }
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'), () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  server.on('clientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
