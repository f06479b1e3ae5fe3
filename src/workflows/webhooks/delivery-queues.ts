/**
 * The groups of deliveries. Deliveries of one group never displace those of another. `stranger`: refused before a valid
 * signature was found.
 */
export const DELIVERY_GROUPS = ['accepted', 'refused', 'stranger', 'test'] as const;

export type DeliveryGroup = (typeof DELIVERY_GROUPS)[number];

export interface DeliveryQueue<T> {
  organizationId: string;
  workflowId: string;
  groups: Record<DeliveryGroup, T[]>;
}

/**
 * Keeps deliveries until they are written, the newest `maxItems` of each workflow and group, for at most `maxQueues`
 * workflows. When there are more workflows, the organization with the most queues loses deliveries. So no organization
 * can displace the deliveries of another.
 */
export class DeliveryQueues<T> {
  private organizations = new Map<string, Map<string, DeliveryQueue<T>>>();
  private count = 0;

  constructor(
    private readonly maxQueues: number,
    private readonly maxItems: number,
  ) {}

  get isEmpty(): boolean {
    return this.count === 0;
  }

  add(organizationId: string, workflowId: string, group: DeliveryGroup, item: T): void {
    const queue = this.organizations.get(organizationId)?.get(workflowId);
    const items = (queue ?? this.create(organizationId, workflowId))?.groups[group];
    if (!items) return;
    items.push(item);
    // An older delivery would be deleted right after it was written.
    if (items.length > this.maxItems) items.shift();
  }

  /** Removes all queues and returns them. The queues of an organization are in the order in which they began. */
  takeAll(): DeliveryQueue<T>[] {
    const queues = [...this.organizations.values()].flatMap((own) => [...own.values()]);
    this.organizations = new Map();
    this.count = 0;
    return queues;
  }

  /** Returns a new queue, or undefined when there is no room. */
  private create(organizationId: string, workflowId: string): DeliveryQueue<T> | undefined {
    if (this.count >= this.maxQueues && !this.makeRoomFor(organizationId)) return undefined;
    const own = this.organizations.get(organizationId) ?? new Map<string, DeliveryQueue<T>>();
    this.organizations.set(organizationId, own);
    const queue: DeliveryQueue<T> = {
      organizationId,
      workflowId,
      groups: { accepted: [], refused: [], stranger: [], test: [] },
    };
    own.set(workflowId, queue);
    this.count += 1;
    return queue;
  }

  /**
   * Removes a queue of the organization with the most queues. Removes none and returns false when no other organization
   * has more queues than the given organization.
   */
  private makeRoomFor(organizationId: string): boolean {
    let largest = this.organizations.get(organizationId);
    const own = largest;
    for (const other of this.organizations.values()) {
      if (other.size > (largest?.size ?? 0)) largest = other;
    }
    if (!largest || largest === own) return false;
    const [oldest] = largest.keys();
    largest.delete(oldest!);
    this.count -= 1;
    return true;
  }
}
