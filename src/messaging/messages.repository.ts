import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import type { MessageChannel, MessageStatus } from './message-status.js';
import { Message } from './message.entity.js';

export type NewMessage = Pick<
  Message,
  | 'id'
  | 'contactId'
  | 'channel'
  | 'recipient'
  | 'subject'
  | 'body'
  | 'status'
  | 'idempotencyKey'
  | 'runId'
  | 'scheduledAt'
>;

export type InboundMessage = Pick<
  Message,
  'id' | 'contactId' | 'channel' | 'recipient' | 'subject' | 'body' | 'externalId' | 'runId'
>;

export interface MessageFilter {
  contactId?: string;
  status?: MessageStatus;
  runId?: string;
}

/** What a worker found out: the new status, why, and when to try again if it is to be tried again. */
export interface Outcome {
  status: MessageStatus;
  reason: string | null;
  retryInSeconds?: number;
}

@Injectable()
export class MessagesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** The row as it is once the next statement, or the commit, has come through. */
  async insert(organizationId: string, message: NewMessage): Promise<Message> {
    const now = await this.tenants.now(organizationId);
    const row: Message = {
      ...message,
      organizationId,
      direction: 'outbound',
      statusReason: null,
      externalId: null,
      attempts: 0,
      epoch: 0,
      dueAt: message.scheduledAt ?? now,
      leaseUntil: null,
      sentAt: null,
      createdAt: now,
      updatedAt: now,
    };
    this.tenants.defer(organizationId, {
      name: 'switchboard_message',
      text: `insert into messages (organization_id, id, contact_id, channel, direction, recipient, subject, body, status,
          idempotency_key, run_id, scheduled_at, due_at, created_at, updated_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($12, now()), $13, $13)`,
      values: [
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
      ],
    });
    return row;
  }

  /** Inserts a message that came in, or returns undefined when one of the channel has its external id already. */
  async insertInbound(
    organizationId: string,
    message: InboundMessage,
  ): Promise<Message | undefined> {
    const inserted = await this.manager(organizationId)
      .createQueryBuilder()
      .insert()
      .into(Message)
      .values({ ...message, organizationId, direction: 'inbound', status: 'received' })
      .orIgnore()
      .returning(['id'])
      .execute();
    if ((inserted.raw as unknown[]).length === 0) return undefined;
    return (await this.find(organizationId, message.id))!;
  }

  findByExternalId(
    organizationId: string,
    channel: MessageChannel,
    externalId: string,
  ): Promise<Message | null> {
    return this.manager(organizationId).findOneBy(Message, { organizationId, channel, externalId });
  }

  find(organizationId: string, id: string): Promise<Message | null> {
    return this.manager(organizationId).findOneBy(Message, { organizationId, id });
  }

  /** The message, which no other transaction can change until this one ends. */
  findForUpdate(organizationId: string, id: string): Promise<Message | null> {
    return this.manager(organizationId).findOne(Message, {
      where: { organizationId, id },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** At most `limit` messages, newest first, from after `position` on. */
  async list(
    organizationId: string,
    filter: MessageFilter,
    position: TimePosition | undefined,
    limit: number,
  ): Promise<Message[]> {
    const query = this.manager(organizationId)
      .createQueryBuilder(Message, 'message')
      .where('message.organizationId = :organizationId', { organizationId })
      .orderBy('message.createdAt', 'DESC')
      .addOrderBy('message.id', 'DESC')
      .limit(limit);
    const { contactId, status, runId } = filter;
    if (contactId !== undefined) query.andWhere('message.contactId = :contactId', { contactId });
    if (status !== undefined) query.andWhere('message.status = :status', { status });
    if (runId !== undefined) query.andWhere('message.runId = :runId', { runId });
    if (position) {
      query.andWhere('(message.createdAt, message.id) < (:at, :id)', { ...position });
    }
    return await query.getMany();
  }

  /** Ids, among the newest 1000, that begin with the text in any case; newest first, at most `limit`. */
  async idsStartingWith(organizationId: string, text: string, limit: number): Promise<string[]> {
    const rows = await this.manager(organizationId).query<{ id: string }[]>(
      `select id from (
         select id, created_at from messages where organization_id = $1
         order by created_at desc, id desc limit 1000) newest
       where starts_with(lower(id), lower($2)) order by created_at desc, id desc limit $3`,
      [organizationId, text, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Ends the message without sending it, out of the hands of the workers. The caller holds its lock. */
  async settle(organizationId: string, id: string, { status, reason }: Outcome): Promise<Message> {
    await this.manager(organizationId).update(
      Message,
      { organizationId, id },
      { status, statusReason: reason, leaseUntil: null, updatedAt: () => 'now()' },
    );
    return await this.manager(organizationId).findOneByOrFail(Message, { organizationId, id });
  }

  /** Writes what the provider says became of the message, out of the hands of the workers. The caller holds its lock. */
  async report(
    organizationId: string,
    id: string,
    status: 'delivered' | 'failed',
    reason: string | null,
  ): Promise<Message> {
    await this.manager(organizationId).update(
      Message,
      { organizationId, id },
      {
        status,
        statusReason: reason,
        leaseUntil: null,
        updatedAt: () => 'now()',
        ...(status === 'delivered' && { sentAt: () => 'coalesce(sent_at, now())' }),
      },
    );
    return await this.manager(organizationId).findOneByOrFail(Message, { organizationId, id });
  }

  /** Notes that an attempt begins, so that a crash in the middle of it is counted. */
  async begin(organizationId: string, id: string, epoch: number): Promise<void> {
    await this.manager(organizationId).update(
      Message,
      { organizationId, id, epoch },
      { status: 'sending', attempts: () => 'attempts + 1', updatedAt: () => 'now()' },
    );
  }

  /** Records what came of an attempt, unless somebody else has claimed the message since. Returns whether it did. */
  async finish(
    organizationId: string,
    id: string,
    epoch: number,
    { status, reason, retryInSeconds }: Outcome,
  ): Promise<boolean> {
    const updated = await this.manager(organizationId)
      .createQueryBuilder()
      .update(Message)
      .set({
        status,
        statusReason: reason,
        leaseUntil: null,
        updatedAt: () => 'now()',
        ...(status === 'sent' && { sentAt: () => 'now()' }),
        ...(retryInSeconds !== undefined && {
          dueAt: () => 'now() + make_interval(secs => :retryInSeconds)',
        }),
      })
      .where({ organizationId, id, epoch, status: 'sending' })
      .setParameters({ retryInSeconds })
      .execute();
    return updated.affected === 1;
  }

  private manager(organizationId: string): EntityManager {
    return this.tenants.manager(organizationId);
  }
}
