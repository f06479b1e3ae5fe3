import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isQuotaExceeded } from '../../database/quota-exceeded.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { DomainEvents, type EmittedEvent } from '../../events/domain-events.js';
import { SecurityLog } from '../../security/security-log.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import type { RunStart } from './run-starts.service.js';
import { TriggerFilterService } from './trigger-filter.service.js';

/** Starts workflows by domain events. The event and its runs commit together, so either all of them exist or none. */
@Injectable()
export class EventTriggersService implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly workflows: WorkflowsRepository,
    private readonly filter: TriggerFilterService,
    private readonly tenants: TenantDatabase,
    private readonly security: SecurityLog,
  ) {}

  onModuleInit(): void {
    this.events.subscribe(
      (organizationId, event) => this.start(organizationId, event),
      async (organizationId, name) =>
        (await this.workflows.findTriggeredBy(organizationId, name)).length > 0,
    );
  }

  private async start(organizationId: string, event: EmittedEvent): Promise<void> {
    const triggered = await this.workflows.findTriggeredBy(organizationId, event.name);
    if (triggered.length === 0) return;
    const payload = Buffer.from(JSON.stringify(event.payload));
    for (const { id, triggerOptions } of triggered) {
      const { segment = event.segmentId } = triggerOptions;
      if (segment !== event.segmentId) continue;
      const start: RunStart = {
        workflowId: id,
        triggerType: 'event',
        payload,
        contactId: event.contactId,
        // Keys of webhooks contain no space, so this key cannot equal a key of a webhook.
        dedupeKey: `event ${event.id}`,
        parentRunId: event.runId ?? undefined,
      };
      const isStarted = await this.startOne(
        organizationId,
        start,
        event.payload,
        triggerOptions.if,
      );
      if (isStarted && event.effects) event.effects.startedRuns += 1;
    }
  }

  /**
   * Starts a run if the condition is met, and returns true if a run was stored. When a quota is used up, no run is
   * stored and no error is thrown. Otherwise the domain event would fail because of the runs that it starts.
   */
  private async startOne(
    organizationId: string,
    start: RunStart,
    payload: unknown,
    condition: string | undefined,
  ): Promise<boolean> {
    try {
      const started = await this.tenants.savepoint(organizationId, () =>
        this.filter.start(organizationId, start, payload, condition),
      );
      return started !== undefined;
    } catch (error) {
      if (!isQuotaExceeded(error)) throw error;
      this.security.report('quota_exceeded', { subject: organizationId });
      return false;
    }
  }
}
