import { OrganizationCounts } from './organization-counts.js';

/**
 * Limits the work of one kind that each organization has in this process at the same time. Work above the limit is
 * refused and does not wait.
 */
export class OrganizationSlots {
  private readonly taken = new OrganizationCounts();

  /** `refusal` makes the error for an organization that has `most` pieces of work already. */
  constructor(
    private readonly most: number,
    private readonly refusal: () => Error,
  ) {}

  /** Does the work and returns its result. Throws the refusal instead when the organization has no free slot. */
  async use<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    if (this.taken.of(organizationId) >= this.most) throw this.refusal();
    this.taken.add(organizationId, 1);
    try {
      return await work();
    } finally {
      this.taken.add(organizationId, -1);
    }
  }
}
