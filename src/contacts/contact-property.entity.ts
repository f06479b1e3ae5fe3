import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';
import type { PropertyType } from './property-type.js';

/** Stores a declared property of contacts. */
@Entity('contact_properties')
export class ContactProperty extends OrganizationRow {
  @PrimaryColumn('text')
  name: string;

  @Column('text')
  type: PropertyType;

  /** The values of the type `enum`. Empty for other types. */
  @Column('text', { array: true, default: () => `'{}'` })
  options: string[];

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
