import { type IncomingMessage, request } from 'node:http';
import { waitFor } from '../support/wait-for.js';

export interface ServerEvent {
  event: string;
  data: Record<string, unknown>;
}

/** Reads the events of `GET /api/changes`. */
export class EventReader {
  readonly events: ServerEvent[] = [];
  ended = false;
  text = '';

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (data: string) => this.read(data));
    response.on('close', () => (this.ended = true));
    response.on('error', () => undefined);
  }

  /** Resolves when the headers of the response have arrived, whatever its status. */
  static async start(
    url: string,
    headers: Record<string, string>,
    method = 'GET',
  ): Promise<EventReader> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(`${url}/api/changes`, { method, agent: false, headers });
      outgoing.on('response', resolve).on('error', reject).end();
    });
    return new EventReader(response);
  }

  get status(): number {
    return this.response.statusCode!;
  }

  /** Returns the names that were sent so far, as `kind id`. */
  get names(): string[] {
    return this.events
      .filter(({ event }) => event === 'changes')
      .flatMap(({ data }) => data.changes as { kind: string; id?: string }[])
      .map(({ kind, id }) => (id === undefined ? kind : `${kind} ${id}`));
  }

  async waitForName(name: string): Promise<void> {
    await waitFor(() => this.names.includes(name));
  }

  async waitForEvent(event: string): Promise<ServerEvent> {
    await waitFor(() => this.events.some((one) => one.event === event));
    return this.events.find((one) => one.event === event)!;
  }

  async untilEnded(): Promise<void> {
    await waitFor(() => this.ended);
  }

  close(): void {
    this.response.destroy();
  }

  private read(data: string): void {
    this.text += data;
    for (let end = this.text.indexOf('\n\n'); end >= 0; end = this.text.indexOf('\n\n')) {
      const block = this.text.slice(0, end);
      this.text = this.text.slice(end + 2);
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const json = /^data: (.*)$/m.exec(block)?.[1];
      if (event && json) this.events.push({ event, data: JSON.parse(json) as ServerEvent['data'] });
    }
  }
}
