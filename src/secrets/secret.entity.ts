import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/**
 * Stores a secret of an organization. The hosts that may receive the secret are encrypted together with it, so SQL of a
 * tool can neither read the secret nor redirect it.
 */
@Entity('secrets')
export class SecretRow extends OrganizationRow {
  @PrimaryColumn('text')
  name: string;

  @Column('bytea')
  sealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  /** The person who set the secret last. */
  @Column('text', { nullable: true })
  updatedBy: string | null;
}
