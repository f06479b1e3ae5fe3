import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';
import type { Consent } from './consent.js';

export type PropertyValue = string | number | boolean;
export type ContactProperties = Record<string, PropertyValue>;

/** A contact of an organization. Each of its three identifiers is unique in the organization. */
@Entity('contacts')
export class Contact extends OrganizationRowWithId {
  @Column('text', { nullable: true })
  externalId: string | null;

  /** Lowercase. */
  @Column('text', { nullable: true })
  email: string | null;

  /** In E.164 form: a plus sign and digits. */
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

  /** The text that a text search matches; see `searchText()`. */
  @Column('text', { select: false })
  searchText: string;

  // Milliseconds, like a JavaScript Date. With microseconds, a cursor made from a Date would skip or repeat contacts.
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
