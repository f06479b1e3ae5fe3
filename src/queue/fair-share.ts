/**
 * Limits how many rows a claim returns for each organization. The SQL function `gate.claim_runs` applies these limits.
 */
export interface Share {
  /** The organization that was served last. The next id in order is served next (`choose_runs.sql`). */
  readonly after: string;
  /** The claim returns at most this many rows of each organization that occupies no slot yet. */
  readonly room: number;
  /**
   * For organizations that already occupy slots: the largest number of rows that the claim returns, by organization id.
   */
  readonly rooms: Readonly<Record<string, number>>;
  /** False when the claim does not look for ended waits and for rows that a crashed worker left. */
  readonly wake?: boolean;
}

/**
 * Shares the slots of one worker among organizations. A single organization gets at most `most` slots. The worker has
 * 1.5 times `most` slots, and an organization may occupy at most twice the number of free slots. So slots always stay
 * free for the next organization: a third of all slots while one organization is busy, a fifth while two are.
 */
export class FairShare {
  readonly slots: number;
  private readonly used = new Map<string, number>();
  private last = '';

  constructor(private readonly most: number) {
    this.slots = FairShare.slotsOf(most);
  }

  static slotsOf(most: number): number {
    return most + Math.ceil(most / 2);
  }

  take(organizationId: string): void {
    this.used.set(organizationId, this.usedBy(organizationId) + 1);
    this.last = organizationId;
  }

  release(organizationId: string): void {
    const left = this.usedBy(organizationId) - 1;
    if (left > 0) this.used.set(organizationId, left);
    else this.used.delete(organizationId);
  }

  /** Returns how many more slots the organization may occupy when `free` slots are free. */
  room(organizationId: string, free: number): number {
    return this.roomBeside(this.usedBy(organizationId), free);
  }

  /**
   * Returns true when a claim returned the largest number of rows that the organization may get. Then more rows of this
   * organization may be due.
   */
  static isExhausted({ room, rooms }: Share, got: readonly { organizationId: string }[]): boolean {
    const left = new Map(Object.entries(rooms));
    for (const { organizationId } of got) {
      left.set(organizationId, (left.get(organizationId) ?? room) - 1);
    }
    return [...left.values()].some((count) => count <= 0);
  }

  share(free: number): Share {
    const rooms = [...this.used].map(([id, used]) => [id, this.roomBeside(used, free)]);
    return {
      after: this.last,
      room: this.roomBeside(0, free),
      rooms: Object.fromEntries(rooms) as Record<string, number>,
    };
  }

  private usedBy(organizationId: string): number {
    return this.used.get(organizationId) ?? 0;
  }

  private roomBeside(used: number, free: number): number {
    // An organization gets slots one by one, while it occupies fewer than twice the number of free slots. The n-th
    // additional slot needs used + n - 1 < 2 * (free - n + 1), and the result is the largest n that meets this
    // condition.
    const byThreshold = Math.floor((2 * free - used + 2) / 3);
    // The last free slot is for an organization that occupies no slot.
    const leaving = used === 0 && free === 1 ? 1 : free - 1;
    return Math.max(0, Math.min(this.most - used, leaving, byThreshold));
  }
}
