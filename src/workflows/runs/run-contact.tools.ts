import { Injectable } from '@nestjs/common';
import { ContactView } from '../../contacts/contact.results.js';
import { CreatedContactResult } from '../../contacts/contact.results.js';
import { AppError } from '../../errors/app-error.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { Tool } from '../../tools/contract/tool.decorator.js';
import { RunContacts } from './run-contacts.service.js';
import { SetRunContactInput } from './run.inputs.js';

/** What only a run can do: say whom it is about. */
@Injectable()
export class RunContactTools {
  constructor(private readonly contacts: RunContacts) {}

  @Tool({
    name: 'set_run_contact',
    title: 'Set the contact of the run',
    description:
      'Creates a contact, or updates the one that has one of the identifiers, and makes it the contact of the run, so ' +
      'that later steps can say contact.id. Without an identifier it updates the contact that the run has.',
    output: CreatedContactResult,
    idempotent: true,
    surfaces: ['workflow'],
  })
  async set(input: SetRunContactInput, call: ToolCall): Promise<CreatedContactResult> {
    if (call.runId === undefined) throw AppError.invalid('There is no run.');
    const { organizationId, runId } = call;
    const { contact, created } = await this.contacts.set(organizationId, runId, input.contact);
    return { contact: ContactView.of(contact), created };
  }
}
