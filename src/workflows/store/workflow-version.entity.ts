import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Actor } from '../../accounts/account.js';
import type { EventName } from '../../events/domain-events.js';
import type { ToolSchemas } from '../definitions/compatibility/tool-schemas.js';
import type { ContactMapping } from '../definitions/contact-mapping.js';
import type { Step } from '../definitions/definition.js';
import type { VersionContent } from './version-content.js';

/** A workflow as it was saved at one time. What is known of a version never changes. */
@Entity('workflow_versions')
export class WorkflowVersion {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  workflowId: string;

  @PrimaryColumn('integer')
  version: number;

  @Column('json')
  steps: Step[];

  /** All but the steps. Null for a version of a release that kept the steps only. */
  @Column('json', { nullable: true })
  content: VersionContent | null;

  /** Who saved it; null likewise. */
  @Column('text', { nullable: true })
  actorKind: Actor['kind'] | null;

  @Column('text', { nullable: true })
  actorId: string | null;

  /** The version that was brought back by it, if it was made so. */
  @Column('integer', { nullable: true })
  restoredFrom: number | null;

  /** What is to be done before the first step; null: nothing. */
  @Column('json', { nullable: true })
  triggerContact: ContactMapping | null;
  /** Schemas of the tools of its steps, as they were when these were checked; null when that is not known. */
  @Column('jsonb', { nullable: true })
  toolSchemas: ToolSchemas | null;

  /** Later schemas of these tools that its steps were found to fit too, those of the last check; null when none. */
  @Column('jsonb', { nullable: true })
  fittingSchemas: ToolSchemas | null;

  /** Members that its expressions named and that the tools did not give even then; null likewise. */
  @Column('json', { nullable: true })
  looseReferences: string[] | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** That runs of a workflow may come to wait for an event. Stays, for runs of earlier versions go on. */
@Entity('event_interests')
export class EventInterest {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  event: EventName;

  @PrimaryColumn('text')
  workflowId: string;
}
