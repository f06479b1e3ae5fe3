import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangeStream } from './change-stream.js';

/** A client that stores what it reads. The client reads nothing while `isReading` is false. */
class Client extends Writable {
  text = '';
  isReading = true;
  private done?: () => void;

  constructor() {
    super({ highWaterMark: 64, decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    if (this.isReading) done();
    else this.done = done;
  }

  read(): void {
    this.isReading = true;
    this.done?.();
  }

  get events(): string[] {
    return [...this.text.matchAll(/^event: (.*)$/gm)].map(([, event]) => event!);
  }
}

const change = (id: number) => ({ kind: 'resource', uri: `switchboard://runs/run_${id}` }) as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(): { client: Client; stream: ChangeStream } {
  const client = new Client();
  const stream = new ChangeStream(client);
  stream.open(false);
  return { client, stream };
}

describe(ChangeStream.name, () => {
  it('joins the changes of 100 ms, and sends each name once', async () => {
    const { client, stream } = open();
    for (let count = 0; count < 50; count += 1) stream.add(change(count % 2));
    await vi.advanceTimersByTimeAsync(100);
    expect(client.events).toEqual(['ready', 'changes']);
    expect(client.text).toContain(
      '{"changes":[{"kind":"runs","id":"run_0"},{"kind":"runs","id":"run_1"}]}',
    );
  });

  it('sends the event gap to a client that reads nothing while more than 1,000 resources change', async () => {
    const { client, stream } = open();
    client.isReading = false;
    stream.add(change(0));
    await vi.advanceTimersByTimeAsync(100);
    for (let id = 1; id <= 100_000; id += 1) {
      stream.add(change(id));
      if (id % 10_000 === 0) await vi.advanceTimersByTimeAsync(100);
    }
    expect(client.events).toEqual(['ready', 'changes']);
    client.read();
    await vi.advanceTimersByTimeAsync(100);
    expect(client.events).toEqual(['ready', 'changes', 'gap']);
    expect(client.text.length).toBeLessThan(1000);
    stream.add(change(1));
    await vi.advanceTimersByTimeAsync(100);
    expect(client.events.at(-1)).toBe('changes');
  });

  it('disconnects a client that reads nothing for 30 s while something changes', async () => {
    const { client, stream } = open();
    client.isReading = false;
    stream.add(change(0));
    await vi.advanceTimersByTimeAsync(100);
    stream.add(change(1));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(client.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(client.destroyed).toBe(true);
  });

  it('sends a heartbeat every 15 s, fills no memory for a client that does not read, and sends nothing after the end', async () => {
    const { client, stream } = open();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(client.events).toEqual(['ready', 'heartbeat', 'heartbeat']);
    client.isReading = false;
    await vi.advanceTimersByTimeAsync(300_000);
    client.read();
    // The stream sends a heartbeat only while the send buffer has room. Without this rule, the client would now read 20
    // heartbeats.
    expect(client.events.length).toBeLessThan(6);
    stream.end('stopping');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(client.events.at(-1)).toBe('end');
    expect(client.writableFinished).toBe(true);
  });

  it('sends nothing about resources of other URI schemes or about sessions', async () => {
    const { client, stream } = open();
    stream.add({ kind: 'resource', uri: 'deals://deal/1' });
    stream.add({ kind: 'sessions' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(client.events).toEqual(['ready']);
  });
});
