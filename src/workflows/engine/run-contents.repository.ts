import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../batching/batcher.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { withContactStep } from '../definitions/contact-mapping.js';
import type { Step } from '../definitions/definition.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import type { RunFacts, RunLease } from '../journal/claimed-run.js';
import { WorkflowVersion } from '../store/workflow-version.entity.js';

const MOST_VERSIONS = 500;

/** What does not change about a run while it goes on, and its row as it was. */
export interface RunContents {
  run: RunFacts;
  /** Also that of a deleted workflow, whose runs go on. */
  workflowName: string;
  payload: Buffer;
  /** What a run of its version does: its steps, and before them what its trigger says of the contact. */
  steps: readonly Step[];
}

interface Row {
  /** Among those that were asked for. */
  position: number;
  workflow_id: string;
  workflow_version: number;
  trigger_type: RunTriggerType;
  depth: number;
  crashes: number;
  contact_id: string | null;
  payload: Buffer;
  name: string;
}

/** Reads all that a worker needs to know of a run, besides its journal. */
@Injectable()
export class RunContentsRepository {
  /** A version never changes, so it need not be read for every run of it. */
  private readonly versions = new LRUCache<string, readonly Step[]>({ max: MOST_VERSIONS });
  /** A claim brings several runs, which are all begun in the same moment. */
  private readonly reads = new Batcher<RunLease, ReadonlyMap<number, Row>>(
    (organizationId, leases) => this.read(organizationId, leases),
  );

  constructor(private readonly tenants: TenantDatabase) {}

  /** Outside of transactions. Undefined when the run is not held by this lease any more. */
  async find(lease: RunLease): Promise<RunContents | undefined> {
    const { organizationId, id } = lease;
    const { result, index } = await this.reads.add(organizationId, lease);
    const row = result.get(index);
    if (!row) return undefined;
    const run: RunFacts = {
      id,
      organizationId,
      workflowId: row.workflow_id,
      workflowVersion: row.workflow_version,
      triggerType: row.trigger_type,
      depth: row.depth,
      crashes: row.crashes,
      contactId: row.contact_id,
    };
    const steps = await this.stepsOf(run);
    return { run, workflowName: row.name, payload: row.payload, steps };
  }

  private async read(
    organizationId: string,
    leases: readonly RunLease[],
  ): Promise<ReadonlyMap<number, Row>> {
    const rows = await this.tenants.transaction(
      organizationId,
      () =>
        this.tenants.read<Row>(
          organizationId,
          // Each by its key: a plan made while there are few runs, and kept, would go through all of them. How many they
          // are is not to be seen: a plan would be made anew each time.
          `select l.position, r.*, w.name
           from json_to_recordset($2) as l (position integer, id text, epoch integer)
           cross join lateral (
             select workflow_id, workflow_version, trigger_type, depth, crashes, contact_id, payload
             from workflow_runs r
             where r.organization_id = $1 and r.id = l.id and r.epoch = l.epoch and r.status || '' = 'running' offset 0) r
           join workflows w on w.organization_id = $1 and w.id = r.workflow_id`,
          [
            organizationId,
            JSON.stringify(leases.map(({ id, epoch }, position) => ({ position, id, epoch }))),
          ],
        ),
      { readOnly: true },
    );
    return new Map(rows.map((row) => [row.position, row]));
  }

  private async stepsOf(run: RunFacts): Promise<readonly Step[]> {
    const { organizationId, workflowId, workflowVersion: version } = run;
    const key = `${organizationId} ${workflowId} ${version}`;
    const known = this.versions.get(key);
    if (known) return known;
    const { steps, triggerContact } = await this.tenants.transaction(
      organizationId,
      () =>
        this.tenants.manager(organizationId).findOneOrFail(WorkflowVersion, {
          where: { organizationId, workflowId, version },
          select: { steps: true, triggerContact: true },
        }),
      { readOnly: true },
    );
    const all = withContactStep(triggerContact, steps);
    this.versions.set(key, all);
    return all;
  }
}
