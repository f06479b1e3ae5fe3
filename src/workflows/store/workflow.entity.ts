import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { EventName } from '../../events/domain-events.js';
import type { ObjectSchema } from '../../tools/schema/json-schema.js';
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

/** How a workflow is offered to the agents of its organization as a tool of its own. */
@Entity('offered_workflows')
@Unique('offered_workflows_name_key', ['organizationId', 'name'])
export class OfferedWorkflow {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'offered_workflows_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', {
    name: 'workflow_id',
    primaryKeyConstraintName: 'offered_workflows_pkey',
  })
  workflowId: string;

  @Column('text')
  name: string;

  @Column('text')
  title: string;

  @Column('text')
  description: string;

  @Column('json', { name: 'input_schema' })
  inputSchema: ObjectSchema;

  @Column('integer', { name: 'wait_seconds' })
  waitSeconds: number;

  /** Template of what a call answers; null: what the last step returned. */
  @Column('json', { nullable: true })
  result: Record<string, unknown> | null;

  /** Another text with every change. */
  @Column('text')
  revision: string;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt: Date;
}
