import { Entity, PrimaryColumn } from 'typeorm';

/** A run that was parked as `poison`, until the event of its failure has happened. */
@Entity('parked_runs')
export class ParkedRun {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'parked_runs_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { name: 'run_id', primaryKeyConstraintName: 'parked_runs_pkey' })
  runId: string;
}
