import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Consent } from './consent.js';
import type { ContactProperties } from './contact-fields.js';

/** A contact of an organization. Each of its three identifiers is unique in the organization. */
@Entity('contacts')
@Unique('contacts_organization_id_external_id_key', ['organizationId', 'externalId'])
@Unique('contacts_organization_id_email_key', ['organizationId', 'email'])
@Unique('contacts_organization_id_phone_key', ['organizationId', 'phone'])
@Index('contacts_organization_id_created_at_idx', ['organizationId', 'createdAt', 'id'])
@Index('contacts_organization_id_updated_at_idx', ['organizationId', 'updatedAt', 'id'])
export class Contact {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'contacts_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'contacts_pkey' })
  id: string;

  @Column('text', { name: 'external_id', nullable: true })
  externalId: string | null;

  /** Lowercase. */
  @Column('text', { nullable: true })
  email: string | null;

  /** In E.164 form: a plus sign and digits. */
  @Column('text', { nullable: true })
  phone: string | null;

  @Column('text', { name: 'first_name', nullable: true })
  firstName: string | null;

  @Column('text', { name: 'last_name', nullable: true })
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
  @Column('text', { name: 'search_text', select: false })
  searchText: string;

  // Milliseconds, like a JavaScript Date. With microseconds, a cursor made from a Date would skip or repeat contacts.
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
