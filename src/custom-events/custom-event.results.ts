import { PageResult } from '../paging/paging.js';
import { Integer, ListOf, Text, Timestamp } from '../tools/schema/fields.js';
import type { StoredEvent } from './custom-events.repository.js';

export class EmittedEventResult {
  @Text()
  event_id: string;
}

export class CustomEventView {
  @Text()
  id: string;

  @Text()
  name: string;

  @Timestamp()
  emitted_at: string;

  @Text('Contact of the event.', { nullable: true })
  contact_id: string | null;

  @Text('Emitting run.', { nullable: true })
  run_id: string | null;

  @Integer('Size of data as JSON.')
  data_bytes: number;

  @Text('Beginning of data as JSON.')
  data_preview: string;

  @Integer('Started runs.')
  started_runs: number;

  @Integer('Continued runs.')
  continued_runs: number;

  static of(event: StoredEvent): CustomEventView {
    return {
      id: event.id,
      name: event.name,
      emitted_at: event.createdAt.toISOString(),
      contact_id: event.contactId,
      run_id: event.runId,
      data_bytes: event.dataBytes,
      data_preview: event.dataPreview,
      started_runs: event.startedRuns,
      continued_runs: event.continuedRuns,
    };
  }
}

export class CustomEventPage extends PageResult {
  @ListOf(() => CustomEventView)
  events: CustomEventView[];
}
