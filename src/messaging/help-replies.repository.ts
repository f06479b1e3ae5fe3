import { Injectable } from '@nestjs/common';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';

/** An answer to a text message that consists of HELP. */
export interface HelpReply {
  readonly contactId: string;
  readonly body: string;
  /** The age in seconds up to which an answer is recent. */
  readonly seconds: number;
}

const LOCK = prepared('sms_help_lock', `select lock_name('sms help ' || $1, false)`);

/** Finds the answers to text messages that consist of HELP. */
@Injectable()
export class HelpRepliesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Returns true when the same text was sent to the contact by SMS within the given seconds. Until the transaction
   * ends, other transactions that call this method for the contact wait. Without this lock, two simultaneous messages
   * would both be answered.
   */
  async isRecent(
    organizationId: string,
    { contactId, body, seconds }: HelpReply,
  ): Promise<boolean> {
    const session = this.tenants.session(organizationId);
    session.defer(LOCK, [contactId]);
    const [row] = await session.query<{ is_recent: boolean }>(
      `select exists (
         select from messages where organization_id = $1 and contact_id = $2 and channel = 'sms'
           and direction = 'outbound' and body = $3 and created_at > now() - make_interval(secs => $4)
       ) as is_recent`,
      [organizationId, contactId, body, seconds],
    );
    return row!.is_recent;
  }
}
