import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { ToolPolicies, type ToolPolicy } from './tool-policies.js';
import { ToolPoliciesRepository } from './tool-policies.repository.js';

/** They come with every look-up of a key, and names of tools that are gone keep theirs. */
const MOST_POLICIES = 500;

/** Reads and changes the policies of organizations. Nothing is kept in memory: a change holds from the next request on. */
@Injectable()
export class ToolPoliciesService {
  constructor(
    private readonly policies: ToolPoliciesRepository,
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  /** All policies of the organization, read in the running transaction or in one of their own. */
  async get(organizationId: string): Promise<ToolPolicies> {
    return await this.tenants.transaction(
      organizationId,
      async () => ToolPolicies.of(await this.policies.list(organizationId)),
      { readOnly: true },
    );
  }

  /**
   * Changes what is given of the policy of one tool and returns all of it. `names` are those that the tool has had, the
   * present one first; what was stored under an old one moves to the present one. The one place where policies change.
   */
  async change(
    organizationId: string,
    names: readonly [string, ...string[]],
    change: Partial<ToolPolicy>,
  ): Promise<ToolPolicy> {
    return await this.tenants.transaction(organizationId, async () => {
      await this.policies.lock(organizationId);
      const all = await this.policies.list(organizationId);
      const before = ToolPolicies.of(all).policy(...names);
      const after: ToolPolicy = {
        hidden: change.hidden ?? before.hidden,
        confirmation: change.confirmation ?? before.confirmation,
      };
      if (after.hidden === before.hidden && after.confirmation === before.confirmation) {
        return before;
      }
      if (all.length >= MOST_POLICIES && !all.some(({ tool }) => names.includes(tool))) {
        throw new AppError('conflict', `An organization has at most ${MOST_POLICIES} policies.`);
      }
      await this.policies.delete(organizationId, names);
      if (after.hidden !== before.hidden) this.changes.publish(organizationId, { kind: 'tools' });
      if (after.hidden || after.confirmation !== 'never') {
        await this.policies.insert(organizationId, names[0], after);
      }
      return after;
    });
  }
}
