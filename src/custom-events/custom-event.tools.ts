import { Injectable } from '@nestjs/common';
import { CUSTOM_EVENT_IN_WORDS, isCustomEventName } from '../events/custom-event-name.js';
import { AppError } from '../errors/app-error.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { EmitEventInput, ListCustomEventsInput } from './custom-event.inputs.js';
import { CustomEventPage, CustomEventView, EmittedEventResult } from './custom-event.results.js';
import { CustomEventsService } from './custom-events.service.js';

@Injectable()
export class CustomEventTools {
  constructor(private readonly events: CustomEventsService) {}

  @Tool({
    name: 'emit_event',
    title: 'Emit an event',
    description:
      'Emits a custom event, which starts the workflows that it triggers and ends waits of runs for it.',
    output: EmittedEventResult,
  })
  async emit(input: EmitEventInput, call: ToolCall): Promise<EmittedEventResult> {
    const { event: name, data = {}, contact_id: contactId, email } = input;
    if (!isCustomEventName(name))
      throw AppError.invalidField('event', `must be ${CUSTOM_EVENT_IN_WORDS}`);
    const event = { name, data, contactId, email };
    return { event_id: await this.events.emit(call.organizationId, event) };
  }

  @Tool({
    name: 'list_custom_events',
    title: 'List emitted events',
    description:
      'Lists the events that the organization has emitted, newest first, with the runs that they started. The newest 10,000 are kept for 30 days.',
    output: CustomEventPage,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(
    { name, limit, cursor }: ListCustomEventsInput,
    { organizationId }: ToolCall,
  ): Promise<CustomEventPage> {
    const { events, nextCursor } = await this.events.list(organizationId, name, { limit, cursor });
    return { events: events.map((event) => CustomEventView.of(event)), next_cursor: nextCursor };
  }
}
