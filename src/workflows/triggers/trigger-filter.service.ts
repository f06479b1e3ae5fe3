import { Injectable } from '@nestjs/common';
import { ContactView } from '../../contacts/contact.results.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { AppError } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import type { RunStart } from './run-starts.service.js';

/** Evaluates the condition of a trigger. */
@Injectable()
export class TriggerFilterService {
  constructor(
    private readonly liquid: LiquidSandbox,
    private readonly contacts: ContactsService,
  ) {}

  /**
   * Returns `start` when the condition holds or is absent, otherwise undefined. When the evaluation fails, the returned
   * start has the refusal `filter_failed`: the run is stored as failed, and its owner can see and retry it.
   */
  async apply(
    organizationId: string,
    start: RunStart,
    payload: unknown,
    condition: string | undefined,
  ): Promise<RunStart | undefined> {
    if (condition === undefined) return start;
    const { contactId, triggerType: type } = start;
    const contact = contactId === null ? null : await this.contacts.find(organizationId, contactId);
    const scope = { trigger: { type, payload }, contact: contact && ContactView.of(contact) };
    try {
      return this.liquid.test(condition, scope) ? start : undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { ...start, refusal: 'filter_failed' };
    }
  }
}
