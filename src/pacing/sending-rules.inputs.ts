import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Flag, Integer, ListOf, Nested, Text, TextList } from '../tools/schema/fields.js';
import { CAP_POLICIES, type CapPolicy } from './sending-rules.entity.js';

/** The days in the order of ISO 8601. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Declares no arguments, because each organization has one set of rules. */
export class GetSendingRulesInput {}

export class QuietHoursInput {
  @Doc('Local time of the contact at which quiet hours begin, such as 21:00.')
  @Text({ min: 5, max: 5 })
  from: string;

  @Doc(
    'Local time of the end. It is on the next day if it is not after from: 00:00 to 00:00 is a whole day.',
  )
  @Text({ min: 5, max: 5 })
  to: string;

  @Doc('Days of the beginning: mon, tue, wed, thu, fri, sat, sun. Absent: every day.')
  @TextList({ optional: true })
  days?: string[];

  @Doc('Channels whose messages wait. Absent: all that the installation has now.')
  @TextList({ optional: true })
  channels?: string[];
}

export class FrequencyCapInput {
  @Text({ min: 1, max: 64 })
  channel: string;

  @Text('Counts only messages of this topic.', { optional: true, nullable: true, max: 64 })
  topic?: string | null;

  @Integer('Limit of messages to a contact in the window.', { min: 1, max: 100 })
  most: number;

  @Doc('Length in seconds of the window before each message, at most 30 days.')
  @Integer({ min: 1, max: 2_592_000 })
  window_seconds: number;

  @Doc('hold: a message that exceeds the cap waits for its place. drop: it ends as suppressed.')
  @Choice(CAP_POLICIES)
  on_cap: CapPolicy = 'hold';
}

/** Declares the rules. They replace the stored rules. */
export class SetSendingRulesInput {
  @Doc('Time zone of contacts that have none.', { examples: ['Europe/Berlin'] })
  @Text({ min: 1, max: 64 })
  timezone: string = 'UTC';

  @Flag('When true, e-mails without a topic follow the rules too. Other channels always do.')
  transactional_email: boolean = false;

  @Nested(() => QuietHoursInput, 'Null or absent when there are no quiet hours.', {
    optional: true,
    nullable: true,
  })
  quiet_hours?: QuietHoursInput | null;

  @ListOf(() => FrequencyCapInput, 'At most 20.')
  caps: FrequencyCapInput[] = [];
}
