import { describe, expect, it, vi } from 'vitest';
import {
  SUBSCRIPTION_ID,
  Subscription,
  TOOL_LIST,
  type Topic,
  keysOf,
  resourceTopic,
} from './subscription.js';

interface Sent {
  method: string;
  params: object;
}

/** A caller that reads messages only when the test allows it. */
class Caller {
  readonly sent: Sent[] = [];
  isReading = true;
  private waiting: (() => void)[] = [];

  notify(method: string, params: object): void {
    this.sent.push({ method, params });
  }

  async waitUntilDrained(): Promise<void> {
    if (!this.isReading) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  read(): void {
    this.isReading = true;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

const [A, B] = [resourceTopic('test://a'), resourceTopic('test://b')];
const a = { kind: 'resource', uri: 'test://a' } as const;
const b = { kind: 'resource', uri: 'test://b' } as const;
const of = (method: string, params = {}): Sent => ({
  method: `notifications/${method}`,
  params: { ...params, _meta: { [SUBSCRIPTION_ID]: 7 } },
});
const ACKNOWLEDGED = of('subscriptions/acknowledged', { notifications: {} });

function subscribe(topics: readonly Topic[], onError: (error: unknown) => void = () => undefined) {
  const caller = new Caller();
  const over = new AbortController();
  return { caller, over, subscription: new Subscription(7, topics, caller, over.signal, onError) };
}

describe(Subscription.name, () => {
  it('sends changes only after the acknowledgement, even if the changes happened before the acknowledgement', async () => {
    const { caller, subscription } = subscribe([A]);
    subscription.notifyOf(a);
    await new Promise(setImmediate);
    expect(caller.sent).toEqual([]);
    subscription.acknowledge({});
    await vi.waitFor(() => expect(caller.sent).toHaveLength(2));
    expect(caller.sent).toEqual([ACKNOWLEDGED, of('resources/updated', { uri: 'test://a' })]);
  });

  it('looks up the topics of a change, and compares the change with no other topic', () => {
    const read = vi.fn();
    const others = Array.from({ length: 50 }, (_, number) => ({
      ...resourceTopic(`test://other/${number}`),
      get key() {
        read();
        return `resource test://other/${number}`;
      },
    }));
    const { subscription } = subscribe([A, ...others]);
    read.mockClear();
    subscription.notifyOf(a);
    expect(read).not.toHaveBeenCalled();
  });

  it.each([
    ['test://runs/run_1', 'test://runs/run_1/steps/a', true],
    ['test://runs', 'test://runs/run_1', true],
    ['test://runs/run_1', 'test://runs/run_1', true],
    ['test://runs/run_1', 'test://runs/run_12', false],
    ['test://runs/run_1/steps', 'test://runs/run_1', false],
  ])('concerns a resource and the resources below it: %s, %s', (uri, changed, isConcerned) => {
    expect(keysOf({ kind: 'resource', uri: changed }).includes(resourceTopic(uri).key)).toBe(
      isConcerned,
    );
  });

  it('keeps one notification of each topic while the client does not read', async () => {
    const { caller, subscription } = subscribe([A, B, TOOL_LIST]);
    subscription.acknowledge({});
    caller.isReading = false;
    for (let change = 0; change < 1000; change += 1) {
      subscription.notifyOf(change % 2 === 0 ? a : b);
      if (change % 100 === 0) await Promise.resolve();
    }
    expect(caller.sent).toEqual([ACKNOWLEDGED]);
    caller.read();
    await vi.waitFor(() => expect(caller.sent).toHaveLength(3));
    subscription.notifyOf({ kind: 'tools' });
    await vi.waitFor(() => expect(caller.sent).toHaveLength(4));
    expect(caller.sent.map(({ method }) => method)).toEqual([
      ACKNOWLEDGED.method,
      'notifications/resources/updated',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
  });

  it('sends a second notification for a change that happens while the first notification is prepared', async () => {
    let reads = 0;
    const slow: Topic = {
      key: A.key,
      notification: async () => {
        reads += 1;
        if (reads === 1) subscription.notifyOf(a);
        return { method: 'notifications/test', params: { reads } };
      },
    };
    const { caller, subscription } = subscribe([slow]);
    subscription.acknowledge({});
    subscription.notifyOf(a);
    await vi.waitFor(() => expect(caller.sent).toHaveLength(3));
    expect(caller.sent.slice(1)).toEqual([of('test', { reads: 1 }), of('test', { reads: 2 })]);
  });

  it('retries a failed notification, and sends nothing for a topic that returns undefined', async () => {
    const errors: unknown[] = [];
    const answers = [
      () => Promise.reject(new Error('away')),
      () => Promise.resolve(undefined),
      () => Promise.resolve({ method: 'notifications/test' }),
    ];
    const topic: Topic = { key: A.key, notification: () => answers.shift()!() };
    const { caller, subscription } = subscribe([topic], (error) => errors.push(error));
    subscription.acknowledge({});
    subscription.notifyOf(a);
    await vi.waitFor(() => expect(answers).toHaveLength(1), 5000);
    expect(errors).toEqual([new Error('away')]);
    expect(caller.sent).toEqual([ACKNOWLEDGED]);
    subscription.notifyOf(a);
    await vi.waitFor(() => expect(caller.sent).toEqual([ACKNOWLEDGED, of('test')]));
  });

  it('sends nothing after its end', async () => {
    const { caller, over, subscription } = subscribe([A]);
    subscription.acknowledge({});
    caller.isReading = false;
    subscription.notifyOf(a);
    over.abort();
    caller.read();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(caller.sent).toEqual([ACKNOWLEDGED]);
  });
});
