import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

interface Batch<Item, Result> {
  readonly items: Item[];
  weight: number;
  readonly done: Promise<Result>;
}

interface BatchLimits<Item> {
  /** The largest weight of a batch. A batch with only one item may weigh more. */
  readonly maxWeight?: number;
  /** Returns the weight of an item. The default is 1. */
  readonly weigh?: (item: Item) => number;
  /**
   * The longest wait for the previous batch. Without this limit, a statement that hangs would stop all later batches.
   */
  readonly maxWaitMs?: number;
}

/**
 * Joins items that arrive in the same turn of the event loop, or while the previous batch is being processed, into one
 * batch. A statement for many items costs the database little more than a statement for one item. The work of a batch
 * starts after its last item was added.
 */
export class Batcher<Item, Result> {
  /** For each key, the batch that still accepts items. */
  private readonly open = new Map<string, Batch<Item, Result>>();
  /** The promise of the newest work of each key. It is removed when this work ends. */
  private readonly running = new Map<string, Promise<unknown>>();

  private readonly limits: Required<BatchLimits<Item>>;

  /** `work` gets the key and the items of one batch. Only items of the same key share a batch. */
  constructor(
    private readonly work: (key: string, items: readonly Item[]) => Promise<Result>,
    limits: BatchLimits<Item> = {},
  ) {
    this.limits = { maxWeight: 100, weigh: () => 1, maxWaitMs: 1, ...limits };
  }

  /** Adds an item. Resolves to the result of the batch of the item, and to the index of the item in this batch. */
  async add(key: string, item: Item): Promise<{ result: Result; index: number }> {
    const batch = this.batchFor(key, this.limits.weigh(item));
    const index = batch.items.push(item) - 1;
    return { result: await batch.done, index };
  }

  private batchFor(key: string, weight: number): Batch<Item, Result> {
    const open = this.open.get(key);
    if (open && open.weight + weight <= this.limits.maxWeight) {
      open.weight += weight;
      return open;
    }
    const items: Item[] = [];
    const batch: Batch<Item, Result> = { items, weight, done: this.start(key, items) };
    this.open.set(key, batch);
    return batch;
  }

  private async start(key: string, items: readonly Item[]): Promise<Result> {
    // Let the event loop read the data that has arrived on all connections, because this data may contain more items.
    await nextTurn();
    const previous = this.running.get(key);
    if (previous) await Promise.race([previous, sleep(this.limits.maxWaitMs)]);
    // Close the batch before the work starts: a later item must not get a result that was read before it arrived.
    if (this.open.get(key)?.items === items) this.open.delete(key);
    const done = this.work(key, items);
    const remove = (): void => {
      if (this.running.get(key) === running) this.running.delete(key);
    };
    const running = done.then(remove, remove);
    this.running.set(key, running);
    return await done;
  }
}
