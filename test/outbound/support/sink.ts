import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SinkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly bytes: Buffer;
  /** The local address of the connection. */
  readonly at: string;
}

/** Runs an HTTP server that acts as an external system and records every request. */
export interface Sink {
  readonly port: number;
  readonly requests: SinkRequest[];
  /** The number of connections, including connections that sent nothing. */
  connections: number;
  close(): Promise<void>;
}

export type Answer = (request: SinkRequest, response: ServerResponse) => void;

export async function startSink(host: string, answer: Answer): Promise<Sink> {
  const requests: SinkRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const request: SinkRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: bytes.toString(),
        bytes,
        at: incoming.socket.localAddress ?? '',
      };
      requests.push(request);
      answer(request, response);
    })().catch(() => response.destroy());
  });
  server.on('connection', () => {
    sink.connections += 1;
  });
  server.on('clientError', () => undefined);
  server.listen(0, host);
  await once(server, 'listening');
  const sink: Sink = {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: 0,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return sink;
}
