import { setTimeout as sleep } from 'node:timers/promises';
import { type Sink, startSink } from '../../outbound/support/sink.js';

export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The address of the server with the host of the provider, without a slash at its end. */
  readonly base: string;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** The body of the answer. A text is sent unchanged. */
  readonly body: object | string;
  readonly delayMs?: number;
}

/** Answers as the documentation of the provider says, and refuses the requests that the provider refuses. */
export type Provider = (request: ProviderRequest) => ProviderAnswer;

/** A local server that replaces several providers. */
export interface ProviderServer {
  /** The address of the server. The host of a provider follows as the first part of the path. */
  readonly url: string;
  readonly port: number;
  /** Returns the statuses with which a provider answered, in the order of the requests. */
  statusesOf(host: string): number[];
  /** Returns the accepted requests that changed something. */
  accepted(host: string): ProviderRequest[];
  close(): Promise<void>;
}

const UNKNOWN: ProviderAnswer = { status: 404, body: { message: 'No such provider' } };

export async function startProviders(
  providers: Readonly<Record<string, Provider>>,
): Promise<ProviderServer> {
  const answered: { host: string; request: ProviderRequest; status: number }[] = [];
  const sink: Sink = await startSink('127.0.0.1', (received, response) => {
    const url = new URL(received.path, `http://127.0.0.1:${sink.port}`);
    const [, host = '', ...parts] = url.pathname.split('/');
    const request: ProviderRequest = {
      method: received.method,
      path: `/${parts.join('/')}`,
      query: url.searchParams,
      headers: received.headers as Record<string, string | undefined>,
      body: received.body,
      base: `${url.origin}/${host}`,
    };
    const answer = Object.hasOwn(providers, host) ? providers[host]!(request) : UNKNOWN;
    answered.push({ host, request, status: answer.status });
    void sleep(answer.delayMs ?? 0).then(() => {
      const isText = typeof answer.body === 'string';
      response
        .writeHead(answer.status, {
          'Content-Type': isText ? 'text/html' : 'application/json; charset=utf-8',
          ...answer.headers,
        })
        .end(isText ? answer.body : JSON.stringify(answer.body));
    });
  });
  return {
    url: `http://127.0.0.1:${sink.port}`,
    port: sink.port,
    statusesOf: (name) => answered.filter(({ host }) => host === name).map(({ status }) => status),
    accepted: (name) =>
      answered
        .filter(({ host, status }) => host === name && status < 300)
        .map(({ request }) => request),
    close: () => sink.close(),
  };
}
