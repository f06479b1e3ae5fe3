import { Entity, PrimaryColumn } from 'typeorm';
import type { EventName } from '../../events/domain-event.js';

/** That runs of a workflow may come to wait for an event. Stays, for runs of earlier versions go on. */
@Entity('event_interests')
export class EventInterest {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'event_interests_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'event_interests_pkey' })
  event: EventName;

  @PrimaryColumn('text', {
    name: 'workflow_id',
    primaryKeyConstraintName: 'event_interests_pkey',
  })
  workflowId: string;
}
