import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../../database/organization-row.js';
import type { Actor } from '../../accounts/account.js';
import type { EventName } from '../../events/domain-events.js';
import type { ToolSchemas } from '../definitions/compatibility/tool-schemas.js';
import type { ContactMapping } from '../definitions/contact-mapping.js';
import type { Step } from '../definitions/definition.js';
import type { VersionContent } from './version-content.js';

/** Stores an immutable, numbered copy of a workflow. */
@Entity('workflow_versions')
export class WorkflowVersion extends OrganizationRow {
  @PrimaryColumn('text')
  workflowId: string;

  @PrimaryColumn('integer')
  version: number;

  @Column('json')
  steps: Step[];

  /** Everything except the steps. Null for a version of an early release, which stored only the steps. */
  @Column('json', { nullable: true })
  content: VersionContent | null;

  /** The kind of the actor that saved the version. Null for a version of an early release. */
  @Column('text', { nullable: true })
  actorKind: Actor['kind'] | null;

  @Column('text', { nullable: true })
  actorId: string | null;

  /** The number of the version that this version restored, if any. */
  @Column('integer', { nullable: true })
  restoredFrom: number | null;

  /** The contact mapping of the trigger, or null. */
  @Column('json', { nullable: true })
  triggerContact: ContactMapping | null;

  /** The schemas of the step tools when the steps were checked, or null when they are unknown. */
  @Column('jsonb', { nullable: true })
  toolSchemas: ToolSchemas | null;

  /**
   * The tool schemas of the last check that the steps passed after they were saved. Null when there was no such check.
   */
  @Column('jsonb', { nullable: true })
  fittingSchemas: ToolSchemas | null;

  /**
   * References to members that were missing in the output schemas of the tools at the last check. Null when unknown.
   */
  @Column('json', { nullable: true })
  looseReferences: string[] | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/**
 * Stores that runs of a workflow may wait for an event. The row stays when a later version no longer waits for the
 * event, because runs of earlier versions still wait for it.
 */
@Entity('event_interests')
export class EventInterest extends OrganizationRow {
  @PrimaryColumn('text')
  event: EventName;

  @PrimaryColumn('text')
  workflowId: string;
}
