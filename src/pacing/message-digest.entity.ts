import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** Stores the items that a message collects until it is sent. */
@Entity('message_digests')
export class MessageDigest extends OrganizationRow {
  @PrimaryColumn('text')
  messageId: string;

  /** The template of the subject. All templates of a digest come from the first call. */
  @Column('text', { nullable: true })
  subject: string | null;

  @Column('text', { nullable: true })
  body: string | null;

  @Column('text', { nullable: true })
  html: string | null;

  /** The variables of the first call. The templates of this call use these variables outside `digest`. */
  @Column('jsonb')
  variables: object;

  /** The variables of each call, oldest first. */
  @Column('jsonb')
  items: object[];

  /** The number of items at which the message is sent. */
  @Column('integer')
  maxItems: number;
}

/** A digest, and the template version from which its message was made, if any. */
export type OpenDigest = MessageDigest & {
  readonly templateId: string | null;
  readonly templateVersion: number | null;
  readonly locale: string | null;
};
