import type { Response } from 'express';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventStream } from './event-stream.js';

describe(EventStream.name, () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Returns a stream whose caller reads nothing until the test reads `output`. */
  function openStream() {
    const output = Object.assign(new PassThrough({ highWaterMark: 10 }), { writeHead: () => {} });
    const stream = new EventStream(output as unknown as Response);
    stream.notify('test', { text: 'more than ten bytes' });
    return { output, stream };
  }

  it('disconnects a subscriber that reads nothing for 30 s', async () => {
    const { output, stream } = openStream();
    const drained = stream.waitUntilDrained();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(output.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(output.destroyed).toBe(true);
    await drained;
  });

  it('keeps a subscriber that reads its messages within 30 s', async () => {
    const { output, stream } = openStream();
    const drained = stream.waitUntilDrained();
    await vi.advanceTimersByTimeAsync(29_000);
    output.read();
    await drained;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(output.destroyed).toBe(false);
  });
});
