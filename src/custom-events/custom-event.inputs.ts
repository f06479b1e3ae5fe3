import { MAX_EVENT_NAME } from '../events/custom-event-name.js';
import { PageInput } from '../paging/paging.js';
import { JsonObject, Text } from '../tools/schema/fields.js';

export class EmitEventInput {
  @Text('Such as custom.order.paid.', { max: MAX_EVENT_NAME })
  event: string;

  @JsonObject('Runs read it as trigger.payload.data.', { optional: true })
  data?: object;

  @Text('Contact of the event.', { optional: true, max: 64 })
  contact_id?: string;

  @Text('Or its address.', { optional: true, max: 254 })
  email?: string;

  @Text({ optional: true, min: 1, max: 255 })
  idempotency_key?: string;
}

export class ListCustomEventsInput extends PageInput {
  @Text('Name of the events, or its beginning with a star: custom.order.*', {
    optional: true,
    min: 1,
    max: MAX_EVENT_NAME + 1,
  })
  name?: string;
}
