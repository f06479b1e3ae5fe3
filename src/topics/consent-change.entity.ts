import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';
import type { Evidence } from './topic-subscription.entity.js';

export const CONSENT_KINDS = ['channel', 'topic'] as const;
export type ConsentKind = (typeof CONSENT_KINDS)[number];

/** Stores one change of consent or of a subscription. The database writes it, and nobody can change it. */
@Entity('consent_changes')
export class ConsentChange extends OrganizationRow {
  @PrimaryColumn('text')
  contactId: string;

  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'ALWAYS' })
  id: string;

  /** The contact at the time of the change. The contact may have been merged later. */
  @Column('text')
  recordedFor: string;

  @Column('text')
  kind: ConsentKind;

  /** The channel or the topic. */
  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  fromState: string | null;

  @Column('text', { nullable: true })
  toState: string | null;

  @Column('text')
  source: string;

  @Column('jsonb', { nullable: true })
  evidence: Evidence | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at: Date;
}
