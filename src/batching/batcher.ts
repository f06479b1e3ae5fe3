import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

interface Group<Item, Result> {
  readonly items: Item[];
  weight: number;
  readonly done: Promise<Result>;
}

/** How long items wait for the group before: its statement may hang, and must not hold up everybody behind it. */
const LONGEST_WAIT_MS = 1;

/**
 * Hands items that come in the same moment, or while the group before is under way, to one piece of work: a statement
 * for many costs the database little more than one for each. The work begins after the last item of its group has come.
 */
export class Batcher<Item, Result> {
  /** By key, the group that still takes items. */
  private readonly open = new Map<string, Group<Item, Result>>();
  /** By key, the work that was begun last, while it is under way. */
  private readonly begun = new Map<string, Promise<unknown>>();

  /** Only items of the same key come together, and as many as weigh `most`. */
  constructor(
    private readonly work: (key: string, items: readonly Item[]) => Promise<Result>,
    private readonly most = 100,
    private readonly weigh: (item: Item) => number = () => 1,
  ) {}

  /** Resolves to what the work came to, and to the place of the item among those that it was given. */
  async add(key: string, item: Item): Promise<{ result: Result; index: number }> {
    const group = this.groupFor(key, this.weigh(item));
    const index = group.items.push(item) - 1;
    return { result: await group.done, index };
  }

  private groupFor(key: string, weight: number): Group<Item, Result> {
    const open = this.open.get(key);
    if (open && open.weight + weight <= this.most) {
      open.weight += weight;
      return open;
    }
    const items: Item[] = [];
    const group: Group<Item, Result> = { items, weight, done: this.begin(key, items) };
    this.open.set(key, group);
    return group;
  }

  private async begin(key: string, items: readonly Item[]): Promise<Result> {
    // Once all is read that has come in by now, from every connection.
    await nextTurn();
    const before = this.begun.get(key);
    if (before) await Promise.race([before, sleep(LONGEST_WAIT_MS)]);
    // Before the work begins: who comes from here on must not share what was decided before.
    if (this.open.get(key)?.items === items) this.open.delete(key);
    const done = this.work(key, items);
    const over = (): void => {
      if (this.begun.get(key) === begun) this.begun.delete(key);
    };
    const begun = done.then(over, over);
    this.begun.set(key, begun);
    return await done;
  }
}
