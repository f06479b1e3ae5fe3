import { Injectable } from '@nestjs/common';
import { ContactView } from '../../contacts/contact.results.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { AppError } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { triggerVariable } from '../definitions/trigger-request.js';
import {
  type RunRefusal,
  type RunStart,
  type RunStarted,
  RunStartsService,
} from './run-starts.service.js';

/** Starts runs if the condition of their trigger is true. */
@Injectable()
export class TriggerFilterService {
  constructor(
    private readonly liquid: LiquidSandbox,
    private readonly contacts: ContactsService,
    private readonly runs: RunStartsService,
  ) {}

  /**
   * Starts the run when the condition is true or absent, and returns undefined otherwise. When the evaluation fails,
   * the run is stored as failed with the refusal `filter_failed`, so that its owner can see and retry it. When the
   * organization has used up its processor time, the refusal is `rate_limited`. For a webhook, this error is thrown
   * instead.
   */
  async start(
    organizationId: string,
    start: RunStart,
    payload: unknown,
    condition: string | undefined,
  ): Promise<RunStarted | undefined> {
    if (condition === undefined) return await this.runs.start(organizationId, start);
    const { contactId, triggerType: type, request } = start;
    const contact = contactId === null ? null : await this.contacts.find(organizationId, contactId);
    const scope = {
      trigger: triggerVariable({ type, payload, request, createdAt: new Date() }),
      contact: contact && ContactView.of(contact),
    };
    let refusal: RunRefusal | undefined;
    try {
      if (!(await this.liquid.test(organizationId, condition, scope))) return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The sender of a webhook can try again later. Events and ticks of schedules come only once.
      if (error.code === 'rate_limited' && type === 'webhook') throw error;
      refusal = error.code === 'rate_limited' ? 'rate_limited' : 'filter_failed';
    }
    return await this.runs.start(organizationId, { ...start, refusal });
  }
}
