import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type EmittedEvent } from '../../events/domain-events.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { type RunStart, RunStarts } from './run-starts.service.js';
import { TriggerFilter } from './trigger-filter.service.js';

/**
 * Starts the workflows that wait for an event. The rows of their runs are written by the transaction in which the
 * event happens, so there is a run exactly when there was the event.
 */
@Injectable()
export class EventTriggers implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly workflows: WorkflowsRepository,
    private readonly filter: TriggerFilter,
    private readonly runs: RunStarts,
  ) {}

  onModuleInit(): void {
    this.events.subscribe((organizationId, event) => this.start(organizationId, event));
  }

  private async start(organizationId: string, event: EmittedEvent): Promise<void> {
    const waiting = await this.workflows.waitingFor(organizationId, event.name);
    if (waiting.length === 0) return;
    const payload = Buffer.from(JSON.stringify(event.payload));
    for (const { id, triggerOptions } of waiting) {
      const start: RunStart = {
        workflowId: id,
        triggerType: 'event',
        payload,
        contactId: event.contactId,
        // The space keeps it apart from the keys of webhooks, which have none.
        dedupeKey: `event ${event.id}`,
        parentRunId: event.runId ?? undefined,
      };
      const wanted = await this.filter.apply(
        organizationId,
        start,
        event.payload,
        triggerOptions.if,
      );
      if (wanted) await this.runs.start(organizationId, wanted);
    }
  }
}
