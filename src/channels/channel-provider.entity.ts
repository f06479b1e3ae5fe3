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

  /** The largest number of messages a second. */
  @Column('integer', { nullable: true })
  perSecond: number | null;

  @Column('bytea')
  sealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  /** The person who changed the provider last. */
  @Column('text', { nullable: true })
  updatedBy: string | null;
}
