import { type IncomingMessage, request } from 'node:http';
import { waitFor } from '../../support/wait-for.js';
import { CAPABILITIES_KEY, metaOf, modernHeaders } from './modern.js';

export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

export interface Frame {
  jsonrpc: '2.0';
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export interface ListeningOptions {
  id?: unknown;
  accept?: string;
  capabilities?: object;
}

/** A subscribed caller with the messages that it has received. */
export class Listening {
  readonly frames: Frame[] = [];
  readonly comments: string[] = [];
  ended = false;
  private text = '';

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (data: string) => this.read(data));
    response.on('close', () => (this.ended = true));
    response.on('error', () => undefined);
  }

  /** Sends the request, and resolves with the response after its headers have arrived. */
  static async start(
    url: string,
    key: string,
    notifications: unknown,
    { id = 1, accept, capabilities = {} }: ListeningOptions = {},
  ): Promise<Listening> {
    const message = {
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { notifications, _meta: { ...metaOf(), [CAPABILITIES_KEY]: capabilities } },
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(`${url}/api/mcp`, {
        method: 'POST',
        agent: false,
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          ...(accept && { Accept: accept }),
          ...modernHeaders(message),
        },
      });
      outgoing.on('response', resolve).on('error', reject).end(JSON.stringify(message));
    });
    return new Listening(response);
  }

  /** Subscribes and waits for the acknowledgement. */
  static async to(
    url: string,
    key: string,
    notifications: object,
    options: ListeningOptions = {},
  ): Promise<Listening> {
    const listening = await Listening.start(url, key, notifications, options);
    await waitFor(() => listening.frames.length > 0 || listening.ended);
    if (listening.frames[0]?.method !== 'notifications/subscriptions/acknowledged') {
      throw new Error(`Not acknowledged: ${listening.text}`);
    }
    return listening;
  }

  /** Returns the notifications after the acknowledgement, without the id of the subscription. */
  get told(): unknown[] {
    return this.frames.slice(1).map(({ method, params = {} }) => {
      const { _meta: _, ...rest } = params;
      return { method, ...rest };
    });
  }

  /** Returns the only message of a response that is not a stream. */
  async body(): Promise<Frame> {
    await waitFor(() => this.ended);
    return JSON.parse(this.text) as Frame;
  }

  async untilEnded(): Promise<Frame> {
    await waitFor(() => this.ended);
    return this.frames.at(-1)!;
  }

  close(): void {
    this.response.destroy();
  }

  private read(data: string): void {
    this.text += data;
    if (!this.response.headers['content-type']?.startsWith('text/event-stream')) return;
    const events = this.text.split('\n\n');
    this.text = events.pop()!;
    for (const event of events) {
      const found = /^event: message\ndata: ([^\n]+)$/.exec(event);
      if (found) this.frames.push(JSON.parse(found[1]!) as Frame);
      else this.comments.push(event);
    }
  }
}
