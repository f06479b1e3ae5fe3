import * as http from 'node:http';
import * as https from 'node:https';
import { SERVER_INFO } from '../mcp/server-info.js';
import { ConnectionFault, TIMED_OUT, TOO_LARGE } from './connection-fault.js';
import { shownAddress } from './service-address.js';

/**
 * The longest wait for a response. A batch waits at most 10 s for tasks, and each call of the batch waits a few seconds
 * for the database.
 */
const TIMEOUT_MS = 120_000;
/**
 * The largest response, in bytes. A batch has 20 results of at most 1 MiB. Escaping a result as a JSON string can
 * double its size.
 */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export interface ServiceRequest {
  readonly path: string;
  /** The JSON text of the body. When present, the request is a POST. */
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** Sends requests to one service. Follows no redirect, so that the key reaches no other address. */
export class ServiceClient {
  private readonly agent: http.Agent;
  private readonly request: typeof http.request;

  constructor(
    readonly address: URL,
    private readonly key: string | undefined,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    const { Agent, request } = address.protocol === 'https:' ? https : http;
    this.agent = new Agent({ keepAlive: true });
    this.request = request;
  }

  /** Returns the answer, whatever its status. Throws a {@link ConnectionFault} when no answer came. */
  async send({ path, body, headers }: ServiceRequest): Promise<ServiceAnswer> {
    const url = `${shownAddress(this.address)}${path}`;
    const options: http.RequestOptions = {
      method: body === undefined ? 'GET' : 'POST',
      agent: this.agent,
      headers: {
        Accept: 'application/json',
        'User-Agent': `switchboard-command/${SERVER_INFO.version}`,
        ...(this.key && { Authorization: `Bearer ${this.key}` }),
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(body)),
        }),
        ...headers,
      },
    };
    try {
      return await this.exchange(url, options, body);
    } catch (error) {
      throw new ConnectionFault(this.address, error);
    }
  }

  /** Closes the connections. Without this, the process would wait for them. */
  close(): void {
    this.agent.destroy();
  }

  private exchange(
    url: string,
    options: http.RequestOptions,
    body: string | undefined,
  ): Promise<ServiceAnswer> {
    return new Promise((resolve, reject) => {
      const sent = this.request(url, options, (response) => {
        readText(response).then((text) => {
          resolve({ status: response.statusCode!, headers: response.headers, text });
        }, reject);
      });
      const timer = setTimeout(() => sent.destroy(withCode(TIMED_OUT)), this.timeoutMs);
      sent.once('close', () => clearTimeout(timer));
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

async function readText(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw withCode(TOO_LARGE);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}
