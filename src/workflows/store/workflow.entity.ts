import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow, OrganizationRowWithId } from '../../database/organization-row.js';
import type { EventName } from '../../events/domain-events.js';
import type { ObjectSchema } from '../../tools/schema/json-schema.js';
import type { TriggerOptions, TriggerType } from '../definitions/trigger.js';
import type { StoredWebhookOptions } from '../definitions/webhook-options.js';

/** Stores a workflow. Its versions have the steps, and each run is pinned to one version. */
@Entity('workflows')
export class Workflow extends OrganizationRowWithId {
  @Column('text')
  name: string;

  @Column('boolean')
  active: boolean;

  /** The number of the newest version. */
  @Column('integer')
  version: number;

  @Column('text')
  triggerType: TriggerType;

  @Column('json', { default: () => `'{}'` })
  triggerOptions: TriggerOptions;

  /** The event of an event trigger. An index finds the workflows that an event starts. */
  @Column('text', { nullable: true })
  triggerEvent: EventName | null;

  /** The secret, encrypted with the id of the workflow as context. */
  @Column('bytea', { nullable: true })
  secret: Buffer | null;

  /**
   * The previous secrets, encrypted together, each with the time of its end. They are kept after they become invalid,
   * to recognize senders that still use them.
   */
  @Column('bytea', { nullable: true })
  previousSecret: Buffer | null;

  /** The time until which the last previous secret is valid. Null means that all of them are invalid. */
  @Column('timestamptz', { nullable: true })
  previousSecretUntil: Date | null;

  @Column('jsonb', { default: () => `'{}'` })
  webhookOptions: StoredWebhookOptions;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  /** The time at which the workflow was deleted. Its runs stay readable. */
  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;
}

/** Stores an offered workflow. Agents of its organization can call it as a tool. */
@Entity('offered_workflows')
export class OfferedWorkflow extends OrganizationRow {
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

  /** The template of the result of a call. When null, a call returns the output of the last step. */
  @Column('json', { nullable: true })
  result: Record<string, unknown> | null;

  /** A random text that every change replaces. */
  @Column('text')
  revision: string;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
