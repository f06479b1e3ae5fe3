import { OrganizationQueue } from '../turns/organization-queue.js';

/** Whose work waits for a turn. */
export interface TurnOwner {
  readonly organizationId: string;
  /** The network of a sender whose credential is not checked yet. Absent for the organization itself. */
  readonly network?: string;
}

/** Starts work, and returns its cost. */
type Start = () => number;

/**
 * Lets organizations take turns with work, of which a limited amount starts in each turn of the event loop. Work of
 * senders whose credential is not checked yet has its own place in the turns of its organization, in which networks take
 * turns. So strangers cannot delay the calls of the organization, and a stranger in one network cannot delay the senders
 * in other networks. A stranger with many networks gets no more turns than with one.
 */
export class LoopTurns {
  private cost = 0;
  private isScheduled = false;
  private isNextShort = false;
  private readonly waiting = new OrganizationQueue<Start>();
  private readonly byNetwork = new Map<string, OrganizationQueue<Start>>();

  /** In each turn of the event loop, work starts until its costs together are at least `most`. */
  constructor(private readonly most: number) {}

  /** Lets only one waiting piece of work start in the next turn. */
  shortenNext(): void {
    this.isNextShort = true;
  }

  /**
   * Requests the start of work. Returns undefined if the work may start now, or else a promise that resolves when it
   * may.
   */
  take(owner: TurnOwner, cost: number): Promise<void> | undefined {
    if (!this.isScheduled) {
      this.cost = 0;
      this.schedule();
    }
    if (this.cost < this.most && this.waiting.isEmpty) {
      this.cost += cost;
      return undefined;
    }
    return new Promise((resolve) => {
      this.push(owner, () => {
        resolve();
        return cost;
      });
    });
  }

  private push({ organizationId, network }: TurnOwner, start: Start): void {
    if (network === undefined) {
      this.waiting.push(organizationId, start);
      return;
    }
    const key = `unverified ${organizationId}`;
    const networks = this.byNetwork.get(key) ?? new OrganizationQueue<Start>();
    this.byNetwork.set(key, networks);
    networks.push(network, start);
    // Each turn of this place starts the work of the network that is next by then.
    this.waiting.push(key, () => {
      const [, startNext] = networks.shift()!;
      if (networks.isEmpty) this.byNetwork.delete(key);
      return startNext();
    });
  }

  private schedule(): void {
    this.isScheduled = true;
    setImmediate(() => this.startNext());
  }

  private startNext(): void {
    this.isScheduled = false;
    const most = this.isNextShort ? 1 : this.most;
    this.isNextShort = false;
    for (this.cost = 0; this.cost < most;) {
      const next = this.waiting.shift();
      if (!next) return;
      const [, start] = next;
      this.cost += start();
    }
    this.schedule();
  }
}
