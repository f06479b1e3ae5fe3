import { Injectable } from '@nestjs/common';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { MessageDigest, OpenDigest } from './message-digest.entity.js';

/** Identifies the digest of a call. Topics do not share a digest, because each topic has its own permission. */
export interface DigestKey {
  readonly contactId: string;
  /** The topic. Undefined for a transactional message. */
  readonly topic: string | undefined;
  readonly channel: string;
  /** The address. After a merge or a change of the address, new items must not go to the former address. */
  readonly recipient: string;
  readonly key: string;
}

/** Rendered content that an update of a message writes. */
export interface DigestContent {
  readonly subject: string | null;
  readonly body: string;
  readonly html: string | null;
}

const LOCK = prepared('digest_lock', `select lock_name(array_to_string($1::text[], ' '), false)`);

/** Reads and writes messages that collect items. Every method needs a transaction of the organization. */
@Injectable()
export class DigestsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Finds the message that collects items of this key, and locks it. Until the transaction ends, no other transaction
   * begins or extends a digest of the key. Without the lock, two calls at the same time would make two messages.
   */
  async findOpen(
    organizationId: string,
    { contactId, channel, topic, recipient, key }: DigestKey,
  ): Promise<OpenDigest | undefined> {
    const session = this.tenants.session(organizationId);
    session.defer(LOCK, [['digest', contactId, channel, topic ?? '', key]]);
    // A worker that begins to send the message locks its row and changes its status. This statement waits for that
    // lock, so no item is added to a message that is being sent.
    const [open] = await session.query<OpenDigest>(
      `select d.organization_id as "organizationId", d.message_id as "messageId", d.subject, d.body, d.html,
         d.variables, d.items, d.max_items as "maxItems", m.template_id as "templateId",
         m.template_version as "templateVersion", m.locale
       from messages m join message_digests d on d.organization_id = m.organization_id and d.message_id = m.id
       where m.organization_id = $1 and m.contact_id = $2 and m.held_by = $3 and m.channel = $4 and m.topic is not distinct from $5
         and m.recipient = $6 and m.status = 'held' and m.due_at > now()
       order by m.created_at limit 1 for update`,
      [organizationId, contactId, heldBy(key), channel, topic ?? null, recipient],
    );
    return open;
  }

  /** Inserts the digest of a new held message. The digest collects items for the given seconds. */
  async begin(digest: MessageDigest, key: string, seconds: number): Promise<void> {
    const { organizationId, messageId, subject, body, html, variables, items, maxItems } = digest;
    const session = this.tenants.session(organizationId);
    await session.query(
      `insert into message_digests
         (organization_id, message_id, subject, body, html, variables, items, max_items)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        organizationId,
        messageId,
        subject,
        body,
        html,
        JSON.stringify(variables),
        JSON.stringify(items),
        maxItems,
      ],
    );
    await session.query(
      `update messages set reason_code = 'digest', status_reason = 'The message collects items of a digest.',
         held_by = $3, due_at = now() + make_interval(secs => $4)
       where organization_id = $1 and id = $2`,
      [organizationId, messageId, heldBy(key), seconds],
    );
  }

  /** Adds an item to a message that `findOpen` has locked, and stores its new content. */
  async add(
    { organizationId, messageId }: MessageDigest,
    item: object,
    { subject, body, html }: DigestContent,
  ): Promise<void> {
    const session = this.tenants.session(organizationId);
    await session.query(
      `update message_digests set items = items || jsonb_build_array($3::jsonb)
       where organization_id = $1 and message_id = $2`,
      [organizationId, messageId, JSON.stringify(item)],
    );
    await session.query(
      `update messages set subject = $3, body = $4, html = $5, updated_at = now()
       where organization_id = $1 and id = $2`,
      [organizationId, messageId, subject, body, html],
    );
  }

  /** Ends the digest that `findOpen` has locked: no more calls fill its message. Workers may send it now. */
  async close({ organizationId, messageId }: MessageDigest): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update messages set status = 'queued', status_reason = null, reason_code = null, held_by = null,
         due_at = now(), updated_at = now()
       where organization_id = $1 and id = $2`,
      [organizationId, messageId],
    );
  }
}

/**
 * Returns the value of the column `held_by` for a message of a digest. It differs from the values of all caps, because
 * these begin with the name of a channel, which has no colon.
 */
function heldBy(key: string): string {
  return `digest:${key}`;
}
