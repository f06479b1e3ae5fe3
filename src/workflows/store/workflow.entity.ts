import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventName } from '../../events/domain-event.js';
import type { TriggerOptions, TriggerType } from '../definitions/trigger.js';

/** What its owner wants of a webhook beyond its secret. */
export interface WebhookOptions {
  /** Signed timestamps only, and at most so far away. */
  toleranceSeconds?: number;
  /** Answers with the result of the run, if it ends so soon. */
  waitSeconds?: number;
}

/** A workflow. What it does is in its versions; runs keep to the one they began with. */
@Entity('workflows')
@Index('workflows_event_idx', ['organizationId', 'triggerEvent'], {
  where: 'trigger_event is not null and active and deleted_at is null',
})
export class Workflow {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'workflows_pkey' })
  organizationId: string;

  @Index('workflows_id_idx')
  @PrimaryColumn('text', { primaryKeyConstraintName: 'workflows_pkey' })
  id: string;

  @Column('text')
  name: string;

  @Column('boolean')
  active: boolean;

  /** The newest version of the definition. */
  @Column('integer')
  version: number;

  @Column('text', { name: 'trigger_type' })
  triggerType: TriggerType;

  @Column('json', { name: 'trigger_options', default: () => `'{}'` })
  triggerOptions: TriggerOptions;

  /** The event that starts it, by which it is looked up. */
  @Column('text', { name: 'trigger_event', nullable: true })
  triggerEvent: EventName | null;

  /** Encrypted, for the workflow's id as context. */
  @Column('bytea', { nullable: true })
  secret: Buffer | null;

  /** The secret before, encrypted likewise. It stays here after its time, to recognize who still uses it. */
  @Column('bytea', { name: 'previous_secret', nullable: true })
  previousSecret: Buffer | null;

  /** Until when webhooks may be signed with the previous secret; null: not any more. */
  @Column('timestamptz', { name: 'previous_secret_until', nullable: true })
  previousSecretUntil: Date | null;

  @Column('jsonb', { name: 'webhook_options', default: () => `'{}'` })
  webhookOptions: WebhookOptions;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt: Date;

  /** Set when it was deleted: its runs stay readable. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt: Date | null;
}
