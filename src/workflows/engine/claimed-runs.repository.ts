import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../batching/batcher.js';
import { prepared } from '../../database/driver/statement.js';
import { AppError } from '../../errors/app-error.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { Step } from '../definitions/definition.js';
import { DefinitionTooLargeError } from '../definitions/stored-steps.js';
import { readPayload } from '../journal/parse-payload.js';
import type { ClaimedRunData, ClaimedRunRow } from '../journal/claimed-run.js';
import type { RunLease } from '../journal/run-lease.js';
import type { LargePayload } from '../payloads/large-value.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';

/**
 * The largest number of characters of JSON in the cached versions. A parsed version takes up to 40 bytes for each
 * character.
 */
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;
/** The number of characters that are added to the JSON of each version, for generated steps and cached references. */
const EXTRA_CHARACTERS = 500;

type Row = ClaimedRunRow & {
  /** The index of the run's lease in the batch. */
  position: number;
  payload: Buffer;
  largePayload: LargePayload | null;
  workflowName: string;
};

// The plan must look up each run by its key. Otherwise a plan that was cached while there were few runs would later
// scan all runs. The leases are one JSON value, so the planner does not see their number. If the planner saw the
// number, PostgreSQL would plan the statement again each time.
const FIND = prepared(
  'claimed_runs',
  `select l.position, r.*, w.name as "workflowName"
   from json_to_recordset($2) as l (position integer, id text, epoch integer)
   cross join lateral (
     select id, organization_id as "organizationId", workflow_id as "workflowId", workflow_version as "workflowVersion",
       trigger_type as "triggerType", depth, crashes, contact_id as "contactId", lost_contact as "lostContact", payload, request,
       large_payload as "largePayload",
       created_at as "createdAt"
     from workflow_runs r
     where r.organization_id = $1 and r.id = l.id and r.epoch = l.epoch and r.status || '' = 'running' offset 0) r
   join workflows w on w.organization_id = $1 and w.id = r."workflowId"`,
);

@Injectable()
export class ClaimedRunsRepository {
  /** The cached versions. They stay valid, because versions never change. */
  private readonly versions = new LRUCache<string, readonly Step[]>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (steps) => JSON.stringify(steps).length + EXTRA_CHARACTERS,
  });
  /**
   * The batcher of reads. The runs of one claim are read at the same moment, so it joins these reads into one
   * statement.
   */
  private readonly reads = new Batcher<RunLease, ReadonlyMap<number, Row>>(
    (organizationId, leases) => this.read(organizationId, leases),
  );

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
  ) {}

  /** Returns the data of a claimed run, or undefined when the lease is lost. Call it outside transactions. */
  async find(lease: RunLease): Promise<ClaimedRunData | undefined> {
    const { result, index } = await this.reads.add(lease.organizationId, lease);
    const found = result.get(index);
    if (!found) return undefined;
    const { position: _, payload: bytes, largePayload, workflowName, ...row } = found;
    const payload = readPayload(bytes, largePayload);
    const isLarge = largePayload !== null;
    return { row, workflowName, payload, isLarge, ...(await this.readSteps(row)) };
  }

  /**
   * Reads runs together, or one by one when they are too large together. In the second case, leaves out runs that are
   * too large. Throws `payload_too_large` when there is only one run and it is too large.
   */
  private async read(
    organizationId: string,
    leases: readonly RunLease[],
  ): Promise<ReadonlyMap<number, Row>> {
    try {
      return await this.readTogether(organizationId, leases);
    } catch (error) {
      if (!isTooLarge(error) || leases.length === 1) throw error;
    }
    const rows = new Map<number, Row>();
    for (const [position, lease] of leases.entries()) {
      // Any other error, for example of a lost connection, says nothing about the run. If the run were left out after
      // such an error, this would count as a crash of the run.
      const found = await this.readTogether(organizationId, [lease]).catch((error: unknown) => {
        if (!isTooLarge(error)) throw error;
      });
      const row = found?.get(0);
      if (row) rows.set(position, row);
    }
    return rows;
  }

  private async readTogether(
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

  /** Returns the steps of a run, or no steps and an error when its definition is too large. */
  private async readSteps(
    run: ClaimedRunRow,
  ): Promise<Pick<ClaimedRunData, 'steps' | 'definitionError'>> {
    try {
      return { steps: await this.getSteps(run) };
    } catch (error) {
      if (error instanceof DefinitionTooLargeError) return { steps: [], definitionError: error };
      throw error;
    }
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

function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.code === 'payload_too_large';
}
