import { Injectable } from '@nestjs/common';
import { ContactView } from '../../contacts/contact.results.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { AppError } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import type { RunStart } from './run-starts.service.js';

/** Decides by the condition of a trigger whether what came is to start a run. */
@Injectable()
export class TriggerFilter {
  constructor(
    private readonly liquid: LiquidSandbox,
    private readonly contacts: ContactsService,
  ) {}

  /**
   * What to start the run with, or undefined when the condition does not hold. When nobody can tell, because it failed,
   * the run is not carried out but stored, so that its owner sees what went by and can retry it.
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
