import { Injectable } from '@nestjs/common';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import type { PreparedStatement } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import {
  type EmailEnvelope,
  MESSAGE_STATUSES,
  Message,
  type MessageStatus,
} from './message.entity.js';
import type { Outcome } from './message-outcome.js';
import { MessageEvent } from './message-event.entity.js';
import { FIND, FIND_FOR_UPDATE, FIND_HOLDER, INSERT, REQUEUE } from './message-statements.js';

export type NewMessage = Pick<
  Message,
  'id' | 'contactId' | 'channel' | 'recipient' | 'subject' | 'body' | 'runId'
>;
type OutboundMessage = NewMessage &
  Pick<Message, 'status' | 'idempotencyKey' | 'scheduledAt' | 'onUncertain' | 'topic'> &
  Partial<
    Pick<Message, 'statusReason' | 'reasonCode' | 'templateId' | 'templateVersion' | 'locale'>
  > & {
    html: string | null;
    envelope: EmailEnvelope | null;
  };

/** A filter of messages, which must meet all given members. `createdAfter` includes the time itself. */
export interface MessageFilter {
  contactId?: string;
  statuses?: readonly MessageStatus[];
  channel?: string;
  runId?: string;
  createdAfter?: Date;
  createdBefore?: Date;
}

/**
 * The epoch of a new message. With this epoch, the process that stores the message may begin the first attempt. Each
 * claim of a worker raises the epoch.
 */
const NEW_EPOCH = 1;

@Injectable()
export class MessagesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Queues an INSERT and returns the row. The statement is sent with the next statement, or before the commit. */
  async insert(organizationId: string, message: OutboundMessage): Promise<Message> {
    const now = await this.tenants.session(organizationId).now();
    const row: Message = {
      statusReason: null,
      reasonCode: null,
      templateId: null,
      templateVersion: null,
      locale: null,
      ...message,
      organizationId,
      hasHtml: message.html !== null,
      direction: 'outbound',
      externalId: null,
      providerId: null,
      providerMessageId: null,
      attempts: 0,
      epoch: NEW_EPOCH,
      dueAt: message.scheduledAt ?? now,
      slotAt: null,
      heldBy: null,
      countedAt: null,
      leaseUntil: null,
      sentAt: null,
      createdAt: now,
      updatedAt: now,
    };
    this.tenants
      .session(organizationId)
      .defer(INSERT, [
        organizationId,
        row.id,
        row.contactId,
        row.channel,
        row.direction,
        row.recipient,
        row.subject,
        row.body,
        row.status,
        row.idempotencyKey,
        row.runId,
        row.scheduledAt,
        row.createdAt,
        row.onUncertain,
        row.html,
        row.envelope && JSON.stringify(row.envelope),
        row.templateId,
        row.templateVersion,
        row.locale,
        row.statusReason,
        row.reasonCode,
        row.topic,
        row.epoch,
      ]);
    return row;
  }

  find(organizationId: string, id: string): Promise<Message | null> {
    return this.findOne(FIND, organizationId, id);
  }

  /** Finds the message and locks its row until the transaction ends. */
  findForUpdate(organizationId: string, id: string): Promise<Message | null> {
    return this.findOne(FIND_FOR_UPDATE, organizationId, id);
  }

  /** Returns the id of the contact that has the address of the message now, or undefined. */
  async findHolder(organizationId: string, id: string): Promise<string | undefined> {
    const session = this.tenants.session(organizationId);
    const [holder] = await session.query<{ id: string }>(FIND_HOLDER, [organizationId, id]);
    return holder?.id;
  }

  /** Returns at most `limit` messages that are older than `position`, newest first. */
  async list(
    organizationId: string,
    filter: MessageFilter,
    position: TimePosition | undefined,
    limit: number,
  ): Promise<Message[]> {
    const query = this.matching(organizationId, filter, limit);
    if (position) {
      query.andWhere('(message.createdAt, message.id) < (:at, :id)', { ...position });
    }
    return await query.getMany();
  }

  /** Counts the newest `limit` messages by status. The statuses are in the order of `MESSAGE_STATUSES`. */
  async count(
    organizationId: string,
    filter: MessageFilter,
    limit: number,
  ): Promise<{ status: MessageStatus; count: number }[]> {
    const matching = this.matching(organizationId, filter, limit).select(
      'message.status',
      'status',
    );
    const [text, values] = matching.getQueryAndParameters();
    const rows = await this.tenants
      .session(organizationId)
      .query<{ status: MessageStatus; count: number }>(
        `select status, count(*)::int as count from (${text}) newest group by status
         order by array_position($${values.length + 1}::text[], status)`,
        [...values, MESSAGE_STATUSES],
      );
    return rows;
  }

  /** Returns the statuses that a message had, oldest first. Returns an empty list for an unknown message. */
  listEvents(organizationId: string, messageId: string, limit: number): Promise<MessageEvent[]> {
    return this.tenants.repository(organizationId, MessageEvent).find({
      where: { organizationId, messageId },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  /** Selects at most `limit` messages, newest first. */
  private matching(
    organizationId: string,
    filter: MessageFilter,
    limit: number,
  ): SelectQueryBuilder<Message> {
    const query = this.rows(organizationId)
      .createQueryBuilder('message')
      .where('message.organizationId = :organizationId', { organizationId })
      .orderBy('message.createdAt', 'DESC')
      .addOrderBy('message.id', 'DESC')
      .limit(limit);
    const { contactId, statuses, channel, runId, createdAfter, createdBefore } = filter;
    if (contactId !== undefined) {
      query.andWhere(
        `message.contactId = coalesce((select m.survivor_id from contact_merges m
           where m.organization_id = :organizationId and m.merged_id = :contactId), :contactId)`,
        { contactId },
      );
    }
    if (statuses !== undefined) query.andWhere('message.status IN (:...statuses)', { statuses });
    if (channel !== undefined) query.andWhere('message.channel = :channel', { channel });
    if (runId !== undefined) query.andWhere('message.runId = :runId', { runId });
    if (createdAfter) query.andWhere('message.createdAt >= :createdAfter', { createdAfter });
    if (createdBefore) query.andWhere('message.createdAt < :createdBefore', { createdBefore });
    return query;
  }

  /** Returns at most `limit` ids that start with `text`, among the newest 1000 messages, newest first. Ignores case. */
  async listIdsStartingWith(
    organizationId: string,
    text: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.tenants.session(organizationId).query<{ id: string }>(
      `select id from (
         select id, created_at from messages where organization_id = $1
         order by created_at desc, id desc limit 1000) newest
       where starts_with(lower(id), lower($2)) order by created_at desc, id desc limit $3`,
      [organizationId, text, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Writes a final status and ends the lease. The caller must have locked the row. */
  async settle(
    organizationId: string,
    id: string,
    { status, reason, code }: Outcome,
  ): Promise<Message> {
    await this.rows(organizationId).update(
      { organizationId, id },
      {
        status,
        statusReason: reason,
        reasonCode: code ?? null,
        leaseUntil: null,
        updatedAt: () => 'now()',
        ...((status === 'delivered' || status === 'sent') && {
          sentAt: () => 'coalesce(sent_at, now())',
        }),
      },
    );
    return await this.rows(organizationId).findOneByOrFail({ organizationId, id });
  }

  /** Queues the message for another attempt now. From then on, at most `mostAttempts` of its earlier attempts count. */
  async requeue(organizationId: string, id: string, mostAttempts: number): Promise<void> {
    await this.tenants.session(organizationId).query(REQUEUE, [organizationId, id, mostAttempts]);
  }

  private async findOne(
    statement: PreparedStatement,
    organizationId: string,
    id: string,
  ): Promise<Message | null> {
    const session = this.tenants.session(organizationId);
    const [found] = await session.query<Message>(statement, [organizationId, id]);
    return found ?? null;
  }

  private rows(organizationId: string): Repository<Message> {
    return this.tenants.repository(organizationId, Message);
  }
}
