import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RunsRepository } from '../journal/runs.repository.js';
import { WebhookRunsRepository } from '../journal/webhook-runs.repository.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { PayloadContactsService } from '../triggers/payload-contacts.service.js';
import { payloadBytes } from '../triggers/payload-bytes.js';
import { RunLimitsService } from '../triggers/run-limits.service.js';
import type { EditedPayload } from './edited-payload.js';

/** Prepares the replay of a run with a payload that a person has edited. */
@Injectable()
export class EditedPayloadsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly webhookRuns: WebhookRunsRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly contacts: PayloadContactsService,
    private readonly limits: RunLimitsService,
  ) {}

  /**
   * Checks a payload for a copy of a run by the rules for stored payloads. The copy of a run of a webhook gets the
   * contact that the payload names. Copies of other runs keep the contact of the run.
   */
  async prepare(organizationId: string, runId: string, given: object): Promise<EditedPayload> {
    const run = await this.runs.get(organizationId, runId);
    const payload = payloadBytes(given);
    const contactId =
      run.triggerType === 'webhook'
        ? await this.contacts.find(organizationId, given)
        : run.contactId;
    const workflow = await this.workflows.find(organizationId, run.workflowId);
    const request = await this.webhookRuns.getRequest(organizationId, runId);
    const limited = { triggerType: run.triggerType, payload, request, contactId };
    const limits = workflow?.triggerOptions.limits ?? {};
    const slotKey = await this.limits.slotKeyOf(organizationId, limited, limits);
    return { payload, bodyHash: hash('sha256', payload, 'buffer'), contactId, slotKey };
  }
}
