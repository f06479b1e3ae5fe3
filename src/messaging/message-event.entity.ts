import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';
import type { MessageStatus } from './message.entity.js';

/** Stores a state that a message had. The database adds a row whenever the state changes. */
@Entity('message_events')
export class MessageEvent extends OrganizationRow {
  @PrimaryColumn('text')
  messageId: string;

  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'ALWAYS' })
  id: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at: Date;

  @Column('text')
  status: MessageStatus;

  @Column('text', { nullable: true })
  reason: string | null;

  /** The number of attempts that had begun when the message got this status. */
  @Column('integer')
  attempts: number;
}
