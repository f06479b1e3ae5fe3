import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/tenant-database.js';
import { RecentlyUsed } from '../../tools/recently-used.js';
import { withContactStep } from '../definitions/contact-mapping.js';
import type { Step } from '../definitions/definition.js';
import type { RunLease } from '../journal/held-run.js';
import type { RunFacts } from '../journal/run-facts.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import { WorkflowVersion } from '../saved/workflow-version.entity.js';

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
  private readonly versions = new RecentlyUsed<readonly Step[]>(MOST_VERSIONS);

  constructor(private readonly tenants: TenantDatabase) {}

  /** Undefined when the run is not held by this lease any more. */
  async find({ organizationId, id, epoch }: RunLease): Promise<RunContents | undefined> {
    const [row] = await this.tenants.manager(organizationId).query<Row[]>(
      `select r.workflow_id, r.workflow_version, r.trigger_type, r.depth, r.crashes, r.contact_id, r.payload, w.name
       from workflow_runs r join workflows w on w.organization_id = r.organization_id and w.id = r.workflow_id
       where r.organization_id = $1 and r.id = $2 and r.epoch = $3 and r.status = 'running'`,
      [organizationId, id, epoch],
    );
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

  private async stepsOf(run: RunFacts): Promise<readonly Step[]> {
    const { organizationId, workflowId, workflowVersion: version } = run;
    const key = `${organizationId} ${workflowId} ${version}`;
    const known = this.versions.get(key);
    if (known) return known;
    const { steps, triggerContact } = await this.tenants
      .manager(organizationId)
      .findOneOrFail(WorkflowVersion, {
        where: { organizationId, workflowId, version },
        select: { steps: true, triggerContact: true },
      });
    const all = withContactStep(triggerContact, steps);
    this.versions.set(key, all);
    return all;
  }
}
