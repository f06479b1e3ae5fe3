import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';

/**
 * `scheduled` waits for its time, `queued` for a worker or the next attempt. `sent` means accepted by the mail server.
 * `delivered`, `failed`, `canceled` and `suppressed` are final. Inbound messages are always `received`.
 */
export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'failed',
  'canceled',
  'suppressed',
  'received',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const MESSAGE_CHANNELS = ['email', 'sms', 'webhook'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];

export const MESSAGE_DIRECTIONS = ['outbound', 'inbound'] as const;
export type MessageDirection = (typeof MESSAGE_DIRECTIONS)[number];

/** Stores a message to or from a contact. It stays when the contact is deleted. */
@Entity('messages')
export class Message extends OrganizationRowWithId {
  @Column('text', { nullable: true })
  contactId: string | null;

  @Column('text')
  channel: MessageChannel;

  @Column('text')
  direction: MessageDirection;

  /** An outbound message has the address of the contact when it was created, an inbound message the receiving address. */
  @Column('text', { nullable: true })
  recipient: string | null;

  @Column('text', { nullable: true })
  subject: string | null;

  @Column('text')
  body: string;

  @Column('text')
  status: MessageStatus;

  @Column('text', { nullable: true })
  statusReason: string | null;

  @Column('text', { nullable: true })
  idempotencyKey: string | null;

  /** The provider gave an inbound message this id. */
  @Column('text', { nullable: true })
  externalId: string | null;

  @Column('text', { nullable: true })
  runId: string | null;

  /** Counts the attempts that began. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** Counts the claims. A worker with a lower number has lost its lease. */
  @Column('integer', { default: 0 })
  epoch: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  scheduledAt: Date | null;

  /** A worker may claim the message from this time on: `scheduledAt`, or the time of the next attempt. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt: Date;

  @Column('timestamptz', { nullable: true })
  leaseUntil: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  sentAt: Date | null;

  // Times have milliseconds, like a Date. With microseconds, a cursor made from a Date would skip or repeat messages.
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
