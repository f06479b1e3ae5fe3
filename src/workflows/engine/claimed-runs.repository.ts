import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../batching/batcher.js';
import { prepared } from '../../database/driver/statement.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { Step } from '../definitions/definition.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import { parseJson } from '../../http/request-body.js';
import type { ClaimedRunData, ClaimedRunRow } from '../journal/claimed-run.js';
import type { RunLease } from '../journal/run-lease.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';

const MAX_CACHED_VERSIONS = 500;

interface Row {
  /** The index of the lease in the batch. */
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

// The plan must look up each run by its key: a plan that is made while there are few runs, and kept, would otherwise scan
// all of them later. The leases come as JSON to hide their number from the planner, which would plan for it each time.
const FIND = prepared(
  'claimed_runs',
  `select l.position, r.*, w.name
   from json_to_recordset($2) as l (position integer, id text, epoch integer)
   cross join lateral (
     select workflow_id, workflow_version, trigger_type, depth, crashes, contact_id, payload
     from workflow_runs r
     where r.organization_id = $1 and r.id = l.id and r.epoch = l.epoch and r.status || '' = 'running' offset 0) r
   join workflows w on w.organization_id = $1 and w.id = r.workflow_id`,
);

/** Reads the data of claimed runs, without their journals. */
@Injectable()
export class ClaimedRunsRepository {
  /** Versions never change, so they are cached. */
  private readonly versions = new LRUCache<string, readonly Step[]>({ max: MAX_CACHED_VERSIONS });
  /** The runs of one claim begin at the same moment, so one statement reads them together. */
  private readonly reads = new Batcher<RunLease, ReadonlyMap<number, Row>>(
    (organizationId, leases) => this.read(organizationId, leases),
  );

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
  ) {}

  /** Returns undefined when the lease is lost. Call it outside transactions. */
  async find(lease: RunLease): Promise<ClaimedRunData | undefined> {
    const { organizationId, id } = lease;
    const { result, index } = await this.reads.add(organizationId, lease);
    const row = result.get(index);
    if (!row) return undefined;
    const claimed: ClaimedRunRow = {
      id,
      organizationId,
      workflowId: row.workflow_id,
      workflowVersion: row.workflow_version,
      triggerType: row.trigger_type,
      depth: row.depth,
      crashes: row.crashes,
      contactId: row.contact_id,
    };
    const steps = await this.getSteps(claimed);
    return { row: claimed, workflowName: row.name, payload: parseJson(row.payload), steps };
  }

  private async read(
    organizationId: string,
    leases: readonly RunLease[],
  ): Promise<ReadonlyMap<number, Row>> {
    const rows = await this.tenants.transaction(
      organizationId,
      () =>
        this.tenants
          .session(organizationId)
          .query<Row>(FIND, [
            organizationId,
            JSON.stringify(leases.map(({ id, epoch }, position) => ({ position, id, epoch }))),
          ]),
      { readOnly: true },
    );
    return new Map(rows.map((row) => [row.position, row]));
  }

  private async getSteps(run: ClaimedRunRow): Promise<readonly Step[]> {
    const { organizationId, workflowId, workflowVersion: version } = run;
    const key = `${organizationId} ${workflowId} ${version}`;
    const known = this.versions.get(key);
    if (known) return known;
    const steps = await this.tenants.transaction(
      organizationId,
      () => this.workflows.getRunSteps(organizationId, workflowId, version),
      { readOnly: true },
    );
    this.versions.set(key, steps);
    return steps;
  }
}
