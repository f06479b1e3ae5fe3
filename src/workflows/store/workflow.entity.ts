import { Column, Entity, PrimaryColumn } from 'typeorm';
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
export class Workflow {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  id: string;

  @Column('text')
  name: string;

  @Column('boolean')
  active: boolean;

  /** The newest version of the definition. */
  @Column('integer')
  version: number;

  @Column('text')
  triggerType: TriggerType;

  @Column('json', { default: () => `'{}'` })
  triggerOptions: TriggerOptions;

  /** The event that starts it, by which it is looked up. */
  @Column('text', { nullable: true })
  triggerEvent: EventName | null;

  /** Encrypted, for the workflow's id as context. */
  @Column('bytea', { nullable: true })
  secret: Buffer | null;

  /** The secret before, encrypted likewise. It stays here after its time, to recognize who still uses it. */
  @Column('bytea', { nullable: true })
  previousSecret: Buffer | null;

  /** Until when webhooks may be signed with the previous secret; null: not any more. */
  @Column('timestamptz', { nullable: true })
  previousSecretUntil: Date | null;

  @Column('jsonb', { default: () => `'{}'` })
  webhookOptions: WebhookOptions;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  /** Set when it was deleted: its runs stay readable. */
  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;
}

/** How a workflow is offered to the agents of its organization as a tool of its own. */
@Entity('offered_workflows')
export class OfferedWorkflow {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  workflowId: string;

  @Column('text')
  name: string;

  @Column('text')
  title: string;

  @Column('text')
  description: string;

  @Column('json')
  inputSchema: ObjectSchema;

  @Column('integer')
  waitSeconds: number;

  /** Template of what a call answers; null: what the last step returned. */
  @Column('json', { nullable: true })
  result: Record<string, unknown> | null;

  /** Another text with every change. */
  @Column('text')
  revision: string;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
