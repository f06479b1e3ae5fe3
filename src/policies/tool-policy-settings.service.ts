import { Injectable } from '@nestjs/common';
import { In, type Repository } from 'typeorm';
import { ChangeFeed } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { ToolPolicies, type ToolPolicy } from './tool-policies.js';
import { ToolPolicyRow } from './tool-policy-row.entity.js';

/**
 * The largest number of policies of an organization. Every look-up of a key reads all of them, even those of removed
 * tools. The trigger `row_limit` of the table has the same number.
 */
const MAX_POLICIES = 500;

/** Reads and changes the policies of organizations. Nothing is cached, so a change applies to the next request. */
@Injectable()
export class ToolPolicySettingsService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns all policies of the organization. Reads them in the current or in a new transaction. */
  async get(organizationId: string): Promise<ToolPolicies> {
    return await this.tenants.transaction(
      organizationId,
      async () => ToolPolicies.of(await this.rows(organizationId).findBy({ organizationId })),
      { readOnly: true },
    );
  }

  /**
   * Changes the given properties of the policy of one tool and returns the whole policy. `names` has the current name
   * and the old names of the tool. A policy under an old name moves to the current name.
   */
  async change(
    organizationId: string,
    names: readonly [string, ...string[]],
    change: Partial<ToolPolicy>,
  ): Promise<ToolPolicy> {
    return await this.tenants.transaction(organizationId, async () => {
      await this.tenants.lockOrganization(organizationId);
      const rows = this.rows(organizationId);
      const all = await rows.findBy({ organizationId });
      const before = ToolPolicies.of(all).policy(...names);
      const after: ToolPolicy = {
        hidden: change.hidden ?? before.hidden,
        confirmation: change.confirmation ?? before.confirmation,
      };
      if (after.hidden === before.hidden && after.confirmation === before.confirmation) {
        return before;
      }
      if (all.length >= MAX_POLICIES && !all.some(({ tool }) => names.includes(tool))) {
        throw new AppError(
          'conflict',
          `An organization has at most ${MAX_POLICIES} policies. Remove one first.`,
        );
      }
      await rows.delete({ organizationId, tool: In(names) });
      if (after.hidden !== before.hidden) this.changes.publish(organizationId, { kind: 'tools' });
      if (after.hidden || after.confirmation !== 'never') {
        await rows.insert({ organizationId, tool: names[0], ...after });
      }
      return after;
    });
  }

  private rows(organizationId: string): Repository<ToolPolicyRow> {
    return this.tenants.repository(organizationId, ToolPolicyRow);
  }
}
