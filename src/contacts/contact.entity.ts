import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';
import type { Consent } from './consent.js';
import type { PropertyValue } from './property-type.js';

export type ContactProperties = Record<string, PropertyValue>;

/** Stores a contact of an organization. Each of its three identifiers is unique in the organization. */
@Entity('contacts')
export class Contact extends OrganizationRowWithId {
  @Column('text', { nullable: true })
  externalId: string | null;

  /** The e-mail address in lowercase. */
  @Column('text', { nullable: true })
  email: string | null;

  /** The phone number in E.164 form: a plus sign and digits. */
  @Column('text', { nullable: true })
  phone: string | null;

  @Column('text', { nullable: true })
  firstName: string | null;

  @Column('text', { nullable: true })
  lastName: string | null;

  @Column('text', { nullable: true })
  locale: string | null;

  @Column('text', { nullable: true })
  timezone: string | null;

  @Column('text', { array: true, default: () => `'{}'` })
  tags: string[];

  @Column('jsonb', { default: () => `'{}'` })
  properties: ContactProperties;

  @Column('jsonb', { default: () => `'{}'` })
  consent: Consent;

  /** Text searches match this text; see `searchText()`. */
  @Column('text', { select: false })
  searchText: string;

  // Times are stored in milliseconds, because a Date has no microseconds. With microseconds in the database, a cursor
  // made from a Date would skip or repeat contacts.
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
