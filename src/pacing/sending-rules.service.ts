import { Injectable } from '@nestjs/common';
import { ChannelRegistry } from '../channels/channel-registry.js';
import { parseTimezone } from '../contacts/parse-field.js';
import { AppError } from '../errors/app-error.js';
import type { FrequencyCap, SendingRules } from './sending-rules.entity.js';
import {
  type FrequencyCapInput,
  type QuietHoursInput,
  type SetSendingRulesInput,
  WEEKDAYS,
} from './sending-rules.inputs.js';
import { SendingRulesRepository } from './sending-rules.repository.js';

const MOST_CAPS = 20;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;
const NO_QUIET_HOURS = { quietFrom: null, quietTo: null, quietDays: null, quietChannels: null };
/** The channel without quiet hours, because its messages go to programs. */
const NEVER_QUIET = 'webhook';

type StoredRules = Omit<SendingRules, 'updatedAt'>;
type QuietHours = Pick<StoredRules, keyof typeof NO_QUIET_HOURS>;

/** Manages the rules about when messages are sent. Each method needs a transaction of the organization. */
@Injectable()
export class SendingRulesService {
  constructor(
    private readonly rules: SendingRulesRepository,
    private readonly channels: ChannelRegistry,
  ) {}

  /** Returns the rules. Without stored rules, every message is sent immediately. */
  async find(organizationId: string): Promise<StoredRules> {
    const found = await this.rules.find(organizationId);
    return (
      found ?? {
        organizationId,
        timezone: 'UTC',
        transactionalEmail: false,
        ...NO_QUIET_HOURS,
        caps: [],
      }
    );
  }

  /** Replaces the rules. Messages that the present rules hold are checked again. Throws `invalid_arguments`. */
  async set(organizationId: string, given: SetSendingRulesInput): Promise<StoredRules> {
    const rules = {
      organizationId,
      timezone: await this.parseZone(organizationId, given.timezone),
      transactionalEmail: given.transactional_email,
      ...(given.quiet_hours ? this.parseQuietHours(given.quiet_hours) : NO_QUIET_HOURS),
      caps: this.parseCaps(given.caps),
    };
    await this.rules.save(rules);
    await this.rules.recheckHeld(organizationId);
    return rules;
  }

  /**
   * Returns the time zone. Throws `invalid_arguments` when the database does not know it, because the database
   * calculates local times.
   */
  private async parseZone(organizationId: string, text: string): Promise<string> {
    const parsed = parseTimezone(text);
    if ('fault' in parsed) throw AppError.invalidField('timezone', parsed.fault);
    if (await this.rules.knowsTimezone(organizationId, parsed.value)) return parsed.value;
    throw AppError.invalidField('timezone', 'must be a time zone such as Europe/Berlin');
  }

  private parseQuietHours({ from, to, days, channels }: QuietHoursInput): QuietHours {
    for (const [name, time] of Object.entries({ from, to })) {
      if (!TIME_OF_DAY.test(time)) {
        throw AppError.invalidField(`quiet_hours.${name}`, 'must be a time such as 21:00');
      }
    }
    const quietDays = (days ?? WEEKDAYS).map((day) => WEEKDAYS.findIndex((each) => each === day));
    if (quietDays.length === 0 || quietDays.includes(-1)) {
      throw AppError.invalidField('quiet_hours.days', `must contain only ${WEEKDAYS.join(', ')}`);
    }
    const uniqueDays = [...new Set(quietDays)].sort().map((day) => day + 1);
    // If every hour of every day were quiet, a message would be held forever.
    if (from === to && uniqueDays.length === WEEKDAYS.length) {
      throw AppError.invalidField('quiet_hours', 'must leave a time in which messages are sent');
    }
    const known = this.channels.names();
    const quietChannels = channels ?? known.filter((name) => name !== NEVER_QUIET);
    if (quietChannels.length === 0 || quietChannels.some((name) => !known.includes(name))) {
      throw AppError.invalidField('quiet_hours.channels', `must contain only ${known.join(', ')}`);
    }
    return {
      quietFrom: from,
      quietTo: to,
      quietDays: uniqueDays,
      quietChannels: [...new Set(quietChannels)],
    };
  }

  private parseCaps(caps: readonly FrequencyCapInput[]): FrequencyCap[] {
    if (caps.length > MOST_CAPS) {
      throw AppError.invalidField('caps', `must have at most ${MOST_CAPS} items`);
    }
    return caps.map(({ channel, topic, most, window_seconds, on_cap }, index) => {
      this.channels.get(channel, `caps[${index}].channel`);
      return { channel, topic: topic ?? null, most, window_seconds, on_cap };
    });
  }
}
