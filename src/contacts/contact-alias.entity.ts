import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

export const ALIAS_KINDS = ['email', 'phone', 'external_id'] as const;
export type AliasKind = (typeof ALIAS_KINDS)[number];

/**
 * Stores a further address or external id of a contact. The value has the same form as the value of this kind in a row
 * of `contacts`, for example E.164 for a phone number.
 */
@Entity('contact_aliases')
export class ContactAlias extends OrganizationRow {
  @PrimaryColumn('text')
  kind: AliasKind;

  @PrimaryColumn('text')
  value: string;

  @Column('text')
  contactId: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
