import { Choice, Flag, Integer, ListOf, Nested, Text, TextList } from '../tools/schema/fields.js';
import { CAP_POLICIES, type CapPolicy, type SendingRules } from './sending-rules.entity.js';
import { WEEKDAYS } from './sending-rules.inputs.js';

export class QuietHoursView {
  @Text('Local time of the contact.')
  from: string;

  @Text('Local time, on the next day if it is not after from.')
  to: string;

  @TextList('Days on which quiet hours begin.')
  days: string[];

  @TextList()
  channels: string[];
}

export class FrequencyCapView {
  @Text()
  channel: string;

  @Text({ nullable: true })
  topic: string | null;

  @Integer()
  most: number;

  @Integer()
  window_seconds: number;

  @Choice(CAP_POLICIES)
  on_cap: CapPolicy;
}

export class SendingRulesView {
  @Text('Time zone of contacts that have none.')
  timezone: string;

  @Flag('True: e-mails without a topic follow the rules too.')
  transactional_email: boolean;

  @Nested(() => QuietHoursView, { nullable: true })
  quiet_hours: QuietHoursView | null;

  @ListOf(() => FrequencyCapView)
  caps: FrequencyCapView[];

  static of(rules: Omit<SendingRules, 'updatedAt'>): SendingRulesView {
    const { quietFrom, quietTo, quietDays, quietChannels } = rules;
    const hasQuietHours = quietFrom && quietTo && quietDays && quietChannels;
    return {
      timezone: rules.timezone,
      transactional_email: rules.transactionalEmail,
      quiet_hours: hasQuietHours
        ? {
            from: quietFrom,
            to: quietTo,
            days: quietDays.map((day) => WEEKDAYS[day - 1]!),
            channels: quietChannels,
          }
        : null,
      caps: rules.caps.map(({ channel, topic, most, window_seconds, on_cap }) => ({
        channel,
        topic,
        most,
        window_seconds,
        on_cap,
      })),
    };
  }
}

export class SendingRulesResult {
  @Nested(() => SendingRulesView)
  rules: SendingRulesView;
}
