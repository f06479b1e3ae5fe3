import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { TriggerRequest } from '../definitions/trigger-request.js';
import type { WebhookAnswer } from '../definitions/webhook-answer.js';
import { Run } from './run.entity.js';

/**
 * Stores the data that only runs of webhooks have: parts of the request, and the answer to its sender.
 * `WebhookStartsService` decides whether a request is a duplicate.
 */
@Injectable()
export class WebhookRunsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the stored part of the request that started an existing run, or null. */
  async getRequest(organizationId: string, id: string): Promise<TriggerRequest | null> {
    const found = await this.tenants.repository(organizationId, Run).findOneOrFail({
      where: { organizationId, id },
      select: { id: true, request: true },
    });
    return found.request ?? null;
  }

  /**
   * Stores the answer to the sender, unless an earlier step has answered. Returns true when the answer was stored. The
   * caller's transaction must fail when the lease of the run is lost.
   */
  async storeAnswer(organizationId: string, id: string, answer: WebhookAnswer): Promise<boolean> {
    const rows = await this.tenants.session(organizationId).query<{ id: string }>(
      `update workflow_runs set answer = $3
         where organization_id = $1 and id = $2 and answer is null returning id`,
      [organizationId, id, JSON.stringify(answer)],
    );
    return rows.length === 1;
  }

  /** Returns the answer that a step has stored, or null. */
  async getAnswer(organizationId: string, id: string): Promise<WebhookAnswer | null> {
    const found = await this.tenants.repository(organizationId, Run).findOne({
      where: { organizationId, id },
      select: { id: true, answer: true },
    });
    return found?.answer ?? null;
  }
}
