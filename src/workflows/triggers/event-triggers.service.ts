import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type EmittedEvent } from '../../events/domain-events.js';
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
  ) {}

  onModuleInit(): void {
    this.events.subscribe((organizationId, event) => this.start(organizationId, event));
  }

  private async start(organizationId: string, event: EmittedEvent): Promise<void> {
    const triggered = await this.workflows.findTriggeredBy(organizationId, event.name);
    if (triggered.length === 0) return;
    const payload = Buffer.from(JSON.stringify(event.payload));
    for (const { id, triggerOptions } of triggered) {
      const start: RunStart = {
        workflowId: id,
        triggerType: 'event',
        payload,
        contactId: event.contactId,
        // Keys of webhooks contain no space, so this key cannot equal a key of a webhook.
        dedupeKey: `event ${event.id}`,
        parentRunId: event.runId ?? undefined,
      };
      await this.filter.start(organizationId, start, event.payload, triggerOptions.if);
    }
  }
}
