import { Injectable } from '@nestjs/common';
import { ContactsService } from '../../contacts/contacts.service.js';
import { AppError } from '../../errors/app-error.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { payloadBytes } from './payload-bytes.js';
import { RunStartsService } from './run-starts.service.js';

export interface ManualStart {
  workflowId: string;
  payload: object;
  contactId?: string;
  /** The e-mail address of the contact, used when `contactId` is absent. */
  email?: string;
  /** The run whose step starts the new run. */
  parentRunId?: string;
}

/** Starts runs on request: by `trigger_workflow` and by steps of other runs. */
@Injectable()
export class ManualStartsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly contacts: ContactsService,
    private readonly runs: RunStartsService,
  ) {}

  /** Starts a run and returns its id. Throws `not_found` for an unknown contact id, but not for an unknown address. */
  async start(
    organizationId: string,
    { workflowId, payload, contactId, email, parentRunId }: ManualStart,
  ): Promise<string> {
    const workflow = await this.workflows.get(organizationId, workflowId);
    if (!workflow.active)
      throw new AppError('conflict', 'The workflow is not active. Activate it first.');
    const bytes = payloadBytes(payload);
    const contact =
      contactId !== undefined
        ? await this.contacts.get(organizationId, contactId)
        : email !== undefined
          ? await this.contacts.findByEmail(organizationId, email)
          : null;
    const { runId } = await this.runs.start(organizationId, {
      workflowId,
      triggerType: 'manual',
      payload: bytes,
      contactId: contact?.id ?? null,
      dedupeKey: null,
      parentRunId,
    });
    return runId;
  }
}
