import { AppError } from '../errors/app-error.js';
import { OrganizationQueue } from '../turns/organization-queue.js';

/** The organization, or the network of unverified senders, whose work waits for a turn. */
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
  /** The costs of the waiting work of each owner, and of all owners. */
  private readonly waitingCosts = new Map<string, number>();
  private waitingCost = 0;

  /**
   * In each turn of the event loop, work starts until its costs together are at least `most`. Waiting work costs at most
   * `mostWaiting` together, a quarter of this for one organization, and a sixteenth for one network of unverified
   * senders. An owner without waiting work may always add one piece of work.
   */
  constructor(
    private readonly most: number,
    private readonly mostWaiting = Infinity,
  ) {}

  /** Lets only one waiting piece of work start in the next turn. */
  shortenNext(): void {
    this.isNextShort = true;
  }

  /**
   * Requests the start of work. Returns undefined if the work may start now, or else a promise that resolves when it
   * may. Throws `unavailable` when too much work waits already.
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
    this.addWaiting(owner, cost);
    return new Promise((resolve) => {
      this.push(owner, () => {
        this.removeWaiting(owner, cost);
        resolve();
        return cost;
      });
    });
  }

  /** Counts waiting work. Without a limit, senders could fill the memory faster than the work is done. */
  private addWaiting(owner: TurnOwner, cost: number): void {
    const key = keyOf(owner);
    const own = this.waitingCosts.get(key) ?? 0;
    const most = this.mostWaiting / (owner.network === undefined ? 4 : 16);
    if (own > 0 && (own + cost > most || this.waitingCost + cost > this.mostWaiting)) {
      const message = 'Too many requests wait for this process. Try again later.';
      throw new AppError('unavailable', message, { retryAfterSeconds: 2 });
    }
    this.waitingCosts.set(key, own + cost);
    this.waitingCost += cost;
  }

  private removeWaiting(owner: TurnOwner, cost: number): void {
    const key = keyOf(owner);
    const rest = this.waitingCosts.get(key)! - cost;
    if (rest > 0) this.waitingCosts.set(key, rest);
    else this.waitingCosts.delete(key);
    this.waitingCost -= cost;
  }

  private push({ organizationId, network }: TurnOwner, start: Start): void {
    if (network === undefined) {
      this.waiting.push(organizationId, start);
      return;
    }
    const place = `unverified ${organizationId}`;
    const networks = this.byNetwork.get(place) ?? new OrganizationQueue<Start>();
    this.byNetwork.set(place, networks);
    networks.push(network, start);
    // Each turn of this place starts the work of the network that is next by then.
    this.waiting.push(place, () => {
      const [, startNext] = networks.shift()!;
      if (networks.isEmpty) this.byNetwork.delete(place);
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

function keyOf({ organizationId, network }: TurnOwner): string {
  return network === undefined ? organizationId : `unverified ${organizationId} ${network}`;
}
