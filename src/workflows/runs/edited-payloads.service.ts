import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Run } from '../journal/run.entity.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { PayloadContactsService } from '../triggers/payload-contacts.service.js';
import { payloadBytes } from '../triggers/payload-bytes.js';
import { RunLimitsService } from '../triggers/run-limits.service.js';

/** Holds what a payload decides about a run. */
export interface EditedPayload {
  readonly payload: Buffer;
  readonly bodyHash: Buffer;
  readonly contactId: string | null;
  readonly slotKey: string | null;
}

/** Prepares the replay of a run with a payload that a person has edited. */
@Injectable()
export class EditedPayloadsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly contacts: PayloadContactsService,
    private readonly limits: RunLimitsService,
  ) {}

  /**
   * Checks a payload like the body of a webhook. For a run of a webhook, the contact is the one that the payload names;
   * other runs keep theirs.
   */
  async prepare(organizationId: string, run: Run, given: object): Promise<EditedPayload> {
    const payload = payloadBytes(given);
    const contactId =
      run.triggerType === 'webhook'
        ? await this.contacts.find(organizationId, given)
        : run.contactId;
    const workflow = await this.workflows.find(organizationId, run.workflowId);
    const limited = { triggerType: run.triggerType, payload, contactId };
    const limits = workflow?.triggerOptions.limits ?? {};
    const slotKey = await this.limits.slotKeyOf(organizationId, limited, limits);
    return { payload, bodyHash: hash('sha256', payload, 'buffer'), contactId, slotKey };
  }
}
