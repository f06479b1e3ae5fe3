/** Keeps a count for each organization. Organizations with the count 0 occupy no memory. */
export class OrganizationCounts {
  private readonly counts = new Map<string, number>();

  /** Returns the count of an organization, which is 0 at first. */
  of(organizationId: string): number {
    return this.counts.get(organizationId) ?? 0;
  }

  /** Adds to the count of an organization. A negative number makes it smaller. */
  add(organizationId: string, change: number): void {
    const count = this.of(organizationId) + change;
    if (count === 0) this.counts.delete(organizationId);
    else this.counts.set(organizationId, count);
  }
}
