import { Injectable } from '@nestjs/common';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';

/** The message to which the rules are applied. A message that does not exist yet has no id. */
export interface PacedMessage {
  readonly id: string | null;
  readonly contactId: string;
  readonly channel: string;
  readonly topic: string | null;
}

/** The result of a rule for a message. `until` is null when the rule allows sending the message now. */
export interface PaceRow {
  readonly code: 'quiet_hours' | 'frequency_cap';
  /** The cap: a channel such as `sms`, or a channel and a topic, such as `email news`. */
  readonly cap: string | null;
  readonly until: Date | null;
  readonly drops: boolean;
}

/** A message, and the claim of its worker. */
export interface ClaimedMessage {
  readonly organizationId: string;
  readonly id: string;
  readonly epoch: number;
}

/** The time until which a message is held, and the reason. */
export interface HeldUntil {
  readonly code: string;
  readonly reason: string;
  readonly cap: string | null;
  readonly until: Date;
}

const COLUMNS = 'code, cap, until, drops';
const DECIDE = prepared(
  'message_pace',
  `select ${COLUMNS} from public.pace_message($1, $2, $3, $4)`,
);
const HOLD = prepared(
  'message_hold',
  `update messages set status = 'held', status_reason = $4, reason_code = $5, held_by = $6, due_at = $7,
     slot_at = null, lease_until = null, updated_at = now()
   where organization_id = $1 and id = $2 and epoch = $3`,
);
const CHECK = `select ${COLUMNS} from public.check_pace($1, $2, $3, $4)`;

/** Evaluates the sending rules in the database. Every method needs a transaction of the organization. */
@Injectable()
export class PaceRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Returns the rule that keeps the message from being sent now. When there is no such rule, counts the message for the
   * caps and returns undefined.
   */
  async decide(organizationId: string, message: PacedMessage): Promise<PaceRow | undefined> {
    const [row] = await this.tenants
      .session(organizationId)
      .query<PaceRow>(DECIDE, valuesOf(message));
    return row;
  }

  /** Returns the result of each rule that applies to the message. Changes nothing. */
  check(organizationId: string, message: PacedMessage): Promise<PaceRow[]> {
    return this.tenants.session(organizationId).query<PaceRow>(CHECK, valuesOf(message));
  }

  /**
   * Ends the claim, and gives up the place of the message in the limit of its provider. Workers may claim the message
   * again at the time until which it is held.
   */
  async hold(
    { organizationId, id, epoch }: ClaimedMessage,
    { reason, code, cap, until }: HeldUntil,
  ): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query(HOLD, [organizationId, id, epoch, reason, code, cap, until]);
  }

  async lacksQuota(organizationId: string): Promise<boolean> {
    const session = this.tenants.session(organizationId);
    const [row] = await session.query<{ lacks: boolean }>(
      'select public.lacks_message_quota() as lacks',
    );
    return row!.lacks;
  }
}

function valuesOf({ id, contactId, channel, topic }: PacedMessage): (string | null)[] {
  return [id, contactId, channel, topic];
}
