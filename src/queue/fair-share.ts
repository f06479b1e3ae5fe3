/** Which organizations a claim may take work of, and how much: see `gate.claim_runs`. */
export interface Share {
  /** The organization that had the last turn; the one after it is next. */
  readonly after: string;
  /** How many rows any organization may get. */
  readonly room: number;
  /** How many those may get that hold slots already. */
  readonly rooms: Readonly<Record<string, number>>;
  /** `false`: the claim does not look for waits that are over and for work that was left. */
  readonly wake?: boolean;
}

/**
 * Shares the slots of one worker among organizations. One alone gets as many as the worker is meant to have. There are
 * half as many again, and each organization may hold twice what is left over, so however long the work of some takes,
 * something is left for the next that comes: a third of the slots beside one, a fifth beside two.
 */
export class FairShare {
  readonly slots: number;
  private readonly held = new Map<string, number>();
  private last = '';

  /** `most` is what an organization alone may hold. */
  constructor(private readonly most: number) {
    this.slots = FairShare.slotsOf(most);
  }

  static slotsOf(most: number): number {
    return most + Math.ceil(most / 2);
  }

  take(organizationId: string): void {
    this.held.set(organizationId, this.heldBy(organizationId) + 1);
    this.last = organizationId;
  }

  giveBack(organizationId: string): void {
    const left = this.heldBy(organizationId) - 1;
    if (left > 0) this.held.set(organizationId, left);
    else this.held.delete(organizationId);
  }

  /** How many more slots the organization may take while so many are free. */
  room(organizationId: string, free: number): number {
    return this.roomBeside(this.heldBy(organizationId), free);
  }

  /** Whether some organization got all that it might have, so that more of its work may be due than a claim brought. */
  static wasShort({ room, rooms }: Share, got: readonly { organizationId: string }[]): boolean {
    const left = new Map(Object.entries(rooms));
    for (const { organizationId } of got) {
      left.set(organizationId, (left.get(organizationId) ?? room) - 1);
    }
    return [...left.values()].some((count) => count <= 0);
  }

  share(free: number): Share {
    const rooms = [...this.held].map(([id, held]) => [id, this.roomBeside(held, free)]);
    return {
      after: this.last,
      room: this.roomBeside(0, free),
      rooms: Object.fromEntries(rooms) as Record<string, number>,
    };
  }

  private heldBy(organizationId: string): number {
    return this.held.get(organizationId) ?? 0;
  }

  private roomBeside(held: number, free: number): number {
    // One slot after the other, each only while it holds less than twice what is free before it takes that slot.
    const byThreshold = Math.floor((2 * free - held + 2) / 3);
    // The last one is for somebody who has none.
    const leaving = held === 0 && free === 1 ? 1 : free - 1;
    return Math.max(0, Math.min(this.most - held, leaving, byThreshold));
  }
}
