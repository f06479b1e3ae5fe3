/**
 * Queues work of organizations, which take turns: the organization that has waited longest since its last turn is next.
 */
export class OrganizationQueue<T> {
  private readonly waiting = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** Returns how many items of the organization wait. */
  count(organizationId: string): number {
    return this.waiting.get(organizationId)?.length ?? 0;
  }

  /** Returns true when the condition is true for a waiting organization and its next item. */
  some(condition: (organizationId: string, item: T) => boolean): boolean {
    return [...this.waiting].some(([organizationId, items]) =>
      condition(organizationId, items[0]!),
    );
  }

  push(organizationId: string, item: T): void {
    const items = this.waiting.get(organizationId);
    if (items) items.push(item);
    else this.waiting.set(organizationId, [item]);
  }

  /**
   * Takes the next item of the next organization for which `mayTake` returns true. Returns undefined if there is none.
   */
  shift(
    mayTake: (organizationId: string, item: T) => boolean = () => true,
  ): [organizationId: string, item: T] | undefined {
    for (const [organizationId, items] of this.waiting) {
      if (!mayTake(organizationId, items[0]!)) continue;
      this.waiting.delete(organizationId);
      const item = items.shift()!;
      if (items.length > 0) this.waiting.set(organizationId, items);
      return [organizationId, item];
    }
    return undefined;
  }

  /** Removes an item before its turn. Returns false when the item does not wait. */
  remove(organizationId: string, item: T): boolean {
    const items = this.waiting.get(organizationId);
    const index = items?.indexOf(item) ?? -1;
    if (!items || index === -1) return false;
    items.splice(index, 1);
    if (items.length === 0) this.waiting.delete(organizationId);
    return true;
  }
}
