import { Column, Entity } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** The treatment of a message that exceeds a cap. */
export const CAP_POLICIES = ['hold', 'drop'] as const;
export type CapPolicy = (typeof CAP_POLICIES)[number];

/**
 * A cap: within any `window_seconds`, a contact gets at most `most` messages of the channel. With a topic, only
 * messages of this topic count.
 */
export interface FrequencyCap {
  readonly channel: string;
  readonly topic: string | null;
  readonly most: number;
  readonly window_seconds: number;
  readonly on_cap: CapPolicy;
}

/** Stores when an organization sends messages. An organization without a row sends every message immediately. */
@Entity('sending_rules')
export class SendingRules extends OrganizationRow {
  /** The time zone for contacts without a time zone. */
  @Column('text')
  timezone: string;

  /** True when e-mails without a topic follow the rules too. */
  @Column('boolean', { default: false })
  transactionalEmail: boolean;

  /** A local time such as 21:00. Null when there are no quiet hours. */
  @Column('text', { nullable: true })
  quietFrom: string | null;

  @Column('text', { nullable: true })
  quietTo: string | null;

  /** The days on which quiet hours begin, from 1 for Monday to 7 for Sunday. */
  @Column('integer', { array: true, nullable: true })
  quietDays: number[] | null;

  @Column('text', { array: true, nullable: true })
  quietChannels: string[] | null;

  @Column('jsonb', { default: [] })
  caps: FrequencyCap[];

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
