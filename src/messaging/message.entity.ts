import { Column, Entity } from 'typeorm';
import type { OutgoingEnvelope } from '../channels/channel-contract.js';
import type { UncertainPolicy } from '../channels/channel.decorator.js';
import type { ReasonCode } from '../channels/reason-code.js';
import { OrganizationRowWithId } from '../database/organization-row.js';

/**
 * The statuses of a message. `scheduled` waits for its time, `queued` for a worker or the next attempt, and `held`
 * until the sending rules allow it. `sent` means accepted by the provider. `uncertain` means that the message may
 * have been sent: a report or a person decides. `delivered`, `failed`, `canceled` and `suppressed` are final. Inbound
 * messages are always `received`.
 */
export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'held',
  'sending',
  'uncertain',
  'sent',
  'delivered',
  'failed',
  'canceled',
  'suppressed',
  'received',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const MESSAGE_DIRECTIONS = ['outbound', 'inbound'] as const;
export type MessageDirection = (typeof MESSAGE_DIRECTIONS)[number];

/** The e-mail headers that the caller has set. */
export interface EmailEnvelope extends OutgoingEnvelope {
  /** The id of the message that this message answers. */
  readonly inReplyTo?: string;
}

/** Stores a message to or from a contact. It stays when the contact is deleted. */
@Entity('messages')
export class Message extends OrganizationRowWithId {
  @Column('text', { nullable: true })
  contactId: string | null;

  @Column('text')
  channel: string;

  @Column('text')
  direction: MessageDirection;

  /**
   * The receiving address. For an outbound message, it is the address of the contact at the time when the message was
   * created.
   */
  @Column('text', { nullable: true })
  recipient: string | null;

  @Column('text', { nullable: true })
  subject: string | null;

  @Column('text')
  body: string;

  /**
   * The HTML. Null for a message that has only text. It can be long, so lists and outcomes of attempts do not load it.
   */
  @Column('text', { nullable: true, select: false })
  html?: string | null;

  /** True when `html` is not null. The database computes this column. */
  @Column({ type: 'boolean', insert: false, update: false, default: () => 'html is not null' })
  hasHtml: boolean;

  /**
   * The headers that the caller has set. Null for a message with the usual headers. Queries select this column only on
   * request.
   */
  @Column('json', { nullable: true, select: false })
  envelope?: EmailEnvelope | null;

  /**
   * The topic. The message is sent only to contacts that get this topic. Null means that the message is transactional.
   */
  @Column('text', { nullable: true })
  topic: string | null;

  @Column('text')
  status: MessageStatus;

  @Column('text', { nullable: true })
  statusReason: string | null;

  /** The reason of `statusReason` as a code, for programs. */
  @Column('text', { nullable: true })
  reasonCode: ReasonCode | null;

  @Column('text', { nullable: true })
  idempotencyKey: string | null;

  /** The id that the provider gave an inbound message. */
  @Column('text', { nullable: true })
  externalId: string | null;

  /** The provider to which the message was handed. */
  @Column('text', { nullable: true })
  providerId: string | null;

  /** The id that the provider gave a sent message. The reports of the provider name this id. */
  @Column('text', { nullable: true })
  providerMessageId: string | null;

  /** The treatment of the message when it is unknown whether it was sent. Null means the default of the channel. */
  @Column('text', { nullable: true })
  onUncertain: UncertainPolicy | null;

  @Column('text', { nullable: true })
  runId: string | null;

  /** The template that the message was made from. */
  @Column('text', { nullable: true })
  templateId: string | null;

  @Column('integer', { nullable: true })
  templateVersion: number | null;

  /** The locale of the template's variant. */
  @Column('text', { nullable: true })
  locale: string | null;

  /** The number of attempts that began. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** The number of claims. A worker with a lower number has lost its lease. */
  @Column('integer', { default: 0 })
  epoch: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  scheduledAt: Date | null;

  /** The time from which a worker may claim the message: `scheduledAt`, or the time of the next attempt. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt: Date;

  /** The message loses its reserved place in the limit of a provider a second after this time. */
  @Column('timestamptz', { nullable: true })
  slotAt: Date | null;

  /** The cap that holds the message: a channel such as `sms`, or a channel and a topic, such as `email news`. */
  @Column('text', { nullable: true })
  heldBy: string | null;

  /** The last attempt began at this time. Null when the organization had no sending rules. */
  @Column('timestamptz', { nullable: true })
  countedAt: Date | null;

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
