import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';

/** Stores the account of an organization at a provider. Kind, settings and secret are encrypted together. */
@Entity('channel_providers')
export class ChannelProvider extends OrganizationRowWithId {
  @Column('text')
  channel: string;

  @Column('text')
  name: string;

  /** The provider with the lowest number is tried first. */
  @Column('integer')
  priority: number;

  /** Limits the messages a second. */
  @Column('integer', { nullable: true })
  perSecond: number | null;

  @Column('bytea')
  sealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  /** Names the person who changed it last. */
  @Column('text', { nullable: true })
  updatedBy: string | null;
}
