import { Injectable } from '@nestjs/common';
import { ContactView } from '../contacts/contact-view.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import type { HeldRun } from './held-run.js';
import { stepValue } from './scope.js';

/** What the expressions of a step can refer to. */
@Injectable()
export class RunScope {
  constructor(
    private readonly contacts: ContactsService,
    private readonly liquid: LiquidSandbox,
  ) {}

  /** In a transaction of the run. A step named `contact` hides the contact of the run. */
  async of(held: HeldRun): Promise<object> {
    const { run } = held;
    const contact =
      run.contactId === null ? null : await this.contacts.find(run.organizationId, run.contactId);
    const scope: Record<string, unknown> = { contact: contact && ContactView.of(contact) };
    for (const [id, entry] of held.journal) {
      scope[id] = entry.status === 'failed' ? { error: entry.error } : stepValue(entry.output);
    }
    return {
      ...scope,
      trigger: { type: run.triggerType, payload: held.payload },
      run: { id: run.id },
      workflow: { id: run.workflowId, name: held.workflowName },
    };
  }

  /** Whether the condition of a step holds, if it has one. */
  allows(step: { if?: string }, scope: object): boolean {
    return step.if === undefined || this.liquid.test(step.if, scope);
  }
}
