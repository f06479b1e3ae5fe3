import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { MessageChannel, MessageStatus } from './message-status.js';

const UNFINISHED = `status in ('scheduled', 'queued', 'sending')`;

/** A message to a contact, with the text as it is sent. Kept when the contact is deleted. */
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
  direction: 'outbound';

  /** Address of the contact when the message was made. */
  @Column('text')
  recipient: string;

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
