import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface MiddleRequest {
  readonly path: string;
  readonly body: string;
  /** The number of calls in a batch; 0 for every other request. */
  readonly calls: number;
}

export interface MiddleAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Passes the request to the service and returns its answer. */
type Forward = () => Promise<MiddleAnswer>;

/** Returns the answer for the client, or undefined to break the connection. */
export type Behaviour = (
  request: MiddleRequest,
  forward: Forward,
) => Promise<MiddleAnswer | undefined>;

/** A server between the command and a service, which acts like a proxy or a bad network. */
export class MiddleServer {
  /** Lists the requests in the order of their arrival. */
  readonly requests: MiddleRequest[] = [];
  behaviour: Behaviour = (_request, forward) => forward();

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {
    server.on('request', (request, response) => {
      void text(request).then((body) =>
        this.answer(request.method!, request.url!, request.headers.authorization, body, response),
      );
    });
  }

  static async start(target: string): Promise<MiddleServer> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return new MiddleServer(server, target);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns the sizes of the batches that were received. */
  get batches(): number[] {
    return this.requests.map(({ calls }) => calls).filter((calls) => calls > 0);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async answer(
    method: string,
    path: string,
    authorization: string | undefined,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
    const request = { path, body, calls: callsOf(body) };
    this.requests.push(request);
    const answer = await this.behaviour(request, async () => {
      const answered = await fetch(`${this.target}${path}`, {
        method,
        headers: {
          'Content-Type': 'application/json',
          ...(authorization && { Authorization: authorization }),
        },
        ...(method === 'POST' && { body }),
      });
      const headers = { 'Content-Type': answered.headers.get('content-type') ?? '' };
      return { status: answered.status, headers, body: await answered.text() };
    });
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
    else response.destroy();
  }
}

function callsOf(body: string): number {
  const value: unknown = body === '' ? undefined : JSON.parse(body);
  return Array.isArray(value) ? value.length : 0;
}

export const json = (
  status: number,
  body: object,
  headers: Record<string, string> = {},
): MiddleAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
