import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { SendingRules } from './sending-rules.entity.js';

/** Reads and writes the rules of organizations. Every method needs a transaction of the organization. */
@Injectable()
export class SendingRulesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  find(organizationId: string): Promise<SendingRules | null> {
    return this.tenants.repository(organizationId, SendingRules).findOneBy({ organizationId });
  }

  /** Replaces the rules. */
  async save(rules: Omit<SendingRules, 'updatedAt'>): Promise<void> {
    const { organizationId, timezone, transactionalEmail } = rules;
    const { quietFrom, quietTo, quietDays, quietChannels, caps } = rules;
    await this.tenants.session(organizationId).query(
      `insert into sending_rules
         (organization_id, timezone, transactional_email, quiet_from, quiet_to, quiet_days, quiet_channels, caps)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict on constraint sending_rules_pkey do update
         set timezone = $2, transactional_email = $3, quiet_from = $4, quiet_to = $5, quiet_days = $6,
           quiet_channels = $7, caps = $8, updated_at = now()`,
      [
        organizationId,
        timezone,
        transactionalEmail,
        quietFrom,
        quietTo,
        quietDays,
        quietChannels,
        JSON.stringify(caps),
      ],
    );
  }

  /** Makes workers check again every message that quiet hours or a cap hold. */
  async recheckHeld(organizationId: string): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update messages set due_at = now()
       where organization_id = $1 and status = 'held' and reason_code in ('quiet_hours', 'frequency_cap')
         and due_at > now()`,
      [organizationId],
    );
  }

  /** For one contact, makes workers check again all messages that a cap holds. */
  async recheckCapped(organizationId: string, contactId: string): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update messages set due_at = now()
       where organization_id = $1 and contact_id = $2 and status = 'held' and reason_code = 'frequency_cap' and due_at > now()`,
      [organizationId, contactId],
    );
  }

  /**
   * Returns true when the database knows the time zone. The list of time zones in the database can be older than the
   * list in Node.js.
   */
  async knowsTimezone(organizationId: string, timezone: string): Promise<boolean> {
    const [row] = await this.tenants
      .session(organizationId)
      .query<{ known: boolean }>(
        `select exists (select from pg_timezone_names where lower(name) = lower($1)) as known`,
        [timezone],
      );
    return row!.known;
  }
}
