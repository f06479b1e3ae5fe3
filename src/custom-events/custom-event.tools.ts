import { Injectable } from '@nestjs/common';
import { CUSTOM_EVENT_IN_WORDS, isCustomEventName } from '../events/custom-event-name.js';
import { AppError } from '../errors/app-error.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { EmitEventInput } from './custom-event.inputs.js';
import { EmittedEventResult } from './custom-event.results.js';
import { CustomEventsService } from './custom-events.service.js';

@Injectable()
export class CustomEventTools {
  constructor(private readonly events: CustomEventsService) {}

  @Tool({
    name: 'emit_event',
    title: 'Emit an event',
    description:
      'Emits an event of your own, which starts the workflows that it triggers and ends waits of runs for it.',
    output: EmittedEventResult,
  })
  async emit(input: EmitEventInput, call: ToolCall): Promise<EmittedEventResult> {
    const { event: name, data = {}, contact_id: contactId, email } = input;
    if (!isCustomEventName(name))
      throw AppError.invalidField('event', `must be ${CUSTOM_EVENT_IN_WORDS}`);
    const event = { name, data, contactId, email };
    return { event_id: await this.events.emit(call.organizationId, event) };
  }
}
