import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { MessageChannel, MessageDirection, MessageStatus } from './message-status.js';

const UNFINISHED = `status in ('scheduled', 'queued', 'sending')`;

/** A message to or from a contact, with the text as it is sent or came. Kept when the contact is deleted. */
@Entity('messages')
@Index('messages_organization_id_created_at_idx', ['organizationId', 'createdAt', 'id'])
@Index('messages_organization_id_contact_id_idx', [
  'organizationId',
  'contactId',
  'createdAt',
  'id',
])
@Index('messages_organization_id_run_id_idx', ['organizationId', 'runId', 'createdAt', 'id'])
@Index('messages_due_at_idx', ['dueAt'], { where: UNFINISHED })
@Index('messages_unfinished_id_idx', ['id'], { where: UNFINISHED })
@Index('messages_external_id_key', ['organizationId', 'channel', 'externalId'], {
  unique: true,
  where: 'external_id is not null',
})
export class Message {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'messages_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'messages_pkey' })
  id: string;

  @Column('text', { name: 'contact_id', nullable: true })
  contactId: string | null;

  @Column('text')
  channel: MessageChannel;

  @Column('text')
  direction: MessageDirection;

  /** Address of the contact when the message was made; of one that came in, the address of ours that it came to. */
  @Column('text', { nullable: true })
  recipient: string | null;

  @Column('text', { nullable: true })
  subject: string | null;

  @Column('text')
  body: string;

  @Column('text')
  status: MessageStatus;

  @Column('text', { name: 'status_reason', nullable: true })
  statusReason: string | null;

  @Column('text', { name: 'idempotency_key', nullable: true })
  idempotencyKey: string | null;

  /** What the provider calls a message that came in. */
  @Column('text', { name: 'external_id', nullable: true })
  externalId: string | null;

  @Column('text', { name: 'run_id', nullable: true })
  runId: string | null;

  /** How often a worker has begun to hand it over. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** Counts the claims: who holds an older number has lost the message. */
  @Column('integer', { default: 0 })
  epoch: number;

  @Column({ type: 'timestamptz', name: 'scheduled_at', precision: 3, nullable: true })
  scheduledAt: Date | null;

  /** When a worker may take it: its time, or that of the next attempt. */
  @Column('timestamptz', { name: 'due_at', default: () => 'now()' })
  dueAt: Date;

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil: Date | null;

  @Column({ type: 'timestamptz', name: 'sent_at', precision: 3, nullable: true })
  sentAt: Date | null;

  // Milliseconds, as JavaScript counts: a cursor made from a finer time would skip or repeat messages.
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
