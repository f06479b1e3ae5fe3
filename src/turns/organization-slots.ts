/** Limits the work that each organization has in this process at the same time. */
export class OrganizationSlots {
  private readonly taken = new Map<string, number>();

  /** `refusal` makes the error for an organization that has `most` pieces of work already. */
  constructor(
    private readonly most: number,
    private readonly refusal: () => Error,
  ) {}

  /** Does the work and returns its result. Throws the refusal instead when the organization has no free slot. */
  async use<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const taken = this.taken.get(organizationId) ?? 0;
    if (taken >= this.most) throw this.refusal();
    this.taken.set(organizationId, taken + 1);
    try {
      return await work();
    } finally {
      const left = this.taken.get(organizationId)! - 1;
      if (left > 0) this.taken.set(organizationId, left);
      else this.taken.delete(organizationId);
    }
  }
}
