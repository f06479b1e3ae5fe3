import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { DeliveryGroup } from './delivery-queues.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';

@Injectable()
export class WebhookDeliveriesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  async insert(organizationId: string, deliveries: WebhookDelivery[]): Promise<void> {
    await this.rows(organizationId).insert(deliveries);
  }

  /** Deletes all deliveries of the group except the newest `keep`. */
  async trim(
    organizationId: string,
    workflowId: string,
    group: DeliveryGroup,
    keep: number,
  ): Promise<void> {
    const kind = group === 'stranger' ? 'refused' : group;
    await this.tenants.session(organizationId).query(
      `delete from webhook_deliveries
       where organization_id = $1 and workflow_id = $2 and kind = $3 and verified = $4 and (received_at, id) <= (
         select d.received_at, d.id from webhook_deliveries d
         where d.organization_id = $1 and d.workflow_id = $2 and d.kind = $3 and d.verified = $4
         order by d.received_at desc, d.id desc offset $5 limit 1)`,
      [organizationId, workflowId, kind, group !== 'stranger', keep],
    );
  }

  async list(
    organizationId: string,
    workflowId: string,
    limit: number,
  ): Promise<WebhookDelivery[]> {
    return await this.rows(organizationId).find({
      where: { organizationId, workflowId },
      order: { receivedAt: 'DESC', id: 'DESC' },
      take: limit,
    });
  }

  async deleteAll(organizationId: string, workflowId: string): Promise<void> {
    await this.rows(organizationId).delete({ organizationId, workflowId });
  }

  private rows(organizationId: string): Repository<WebhookDelivery> {
    return this.tenants.repository(organizationId, WebhookDelivery);
  }
}
