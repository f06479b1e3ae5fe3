import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow, OrganizationRowWithId } from '../database/organization-row.js';

/**
 * The result of the last look-up of a record. `different` means that there are only other records. After `unanswered`
 * nothing is known, because the name servers did not answer.
 */
export const CHECK_RESULTS = ['found', 'missing', 'different', 'unanswered'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];

/** Stores a domain from whose addresses an organization may send e-mails once it has proved that it owns the domain. */
@Entity('sender_domains')
export class SenderDomain extends OrganizationRowWithId {
  /** The domain in lowercase, with A-labels. */
  @Column('text')
  domain: string;

  /** The text that the TXT record of the domain must contain. */
  @Column('text')
  token: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** The person who added the domain. */
  @Column('text', { nullable: true })
  createdBy: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  verifiedAt: Date | null;

  /** The time since which every look-up has said that there is no such record. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  missingSince: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  checkedAt: Date | null;

  @Column('text', { nullable: true })
  result: CheckResult | null;

  @Column('timestamptz', { nullable: true })
  nextCheckAt: Date | null;
}

/** The states of a key. The current key signs. The next key waits for its record. The previous key no longer signs. */
export const KEY_STATES = ['next', 'current', 'previous'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Stores a DKIM key of a sender domain. */
@Entity('sender_keys')
export class SenderKey extends OrganizationRow {
  /** The name of the DNS record of the public key, within the domain. */
  @PrimaryColumn('text')
  selector: string;

  @Column('text')
  domainId: string;

  @Column('text', { default: 'next' })
  state: KeyState;

  /** The part of the record after `p=`. */
  @Column('text')
  publicKey: string;

  /** The encrypted private key. Null for a previous key, whose private key was deleted. */
  @Column('bytea', { nullable: true })
  sealed: Buffer | null;

  /** True when the last look-up that was answered found the record. */
  @Column('boolean', { default: false })
  isFound: boolean;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiredAt: Date | null;
}
