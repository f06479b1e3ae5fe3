import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

export const ALIAS_KINDS = ['email', 'phone', 'external_id'] as const;
export type AliasKind = (typeof ALIAS_KINDS)[number];

/** Stores a further address or external id of a contact, in the form in which contacts store their own address of this kind. */
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
