import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/tenant-database.js';
import { type ContactMapping, withContactStep } from './contact-mapping.js';
import type { Step } from './definition.js';
import { Run } from './run.entity.js';
import { Workflow } from './workflow.entity.js';
import { WorkflowVersion } from './workflow-version.entity.js';

/** What does not change about a run while it goes on, and its row as it was. */
export interface RunContents {
  run: Run;
  /** Also that of a deleted workflow, whose runs go on. */
  workflowName: string;
  payload: Buffer;
  /** What a run of its version does: its steps, and before them what its trigger says of the contact. */
  steps: readonly Step[];
}

interface Joined {
  contents_payload: Buffer;
  contents_name: string;
  contents_steps: Step[];
  contents_contact: ContactMapping | null;
}

/** Reads all that a worker needs to know of a run, besides its journal, at once. */
@Injectable()
export class RunContentsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  async find(organizationId: string, id: string): Promise<RunContents | undefined> {
    const { entities, raw } = await this.tenants
      .manager(organizationId)
      .createQueryBuilder(Run, 'r')
      .addSelect('r.payload', 'contents_payload')
      .addSelect('w.name', 'contents_name')
      .addSelect('v.steps', 'contents_steps')
      .addSelect('v.trigger_contact', 'contents_contact')
      .innerJoin(Workflow, 'w', 'w.organization_id = r.organization_id and w.id = r.workflow_id')
      .innerJoin(
        WorkflowVersion,
        'v',
        'v.organization_id = w.organization_id and v.workflow_id = w.id and v.version = r.workflow_version',
      )
      .where('r.organization_id = :organizationId and r.id = :id', { organizationId, id })
      .getRawAndEntities<Joined>();
    const [run] = entities;
    const [joined] = raw;
    if (!run || !joined) return undefined;
    return {
      run,
      workflowName: joined.contents_name,
      payload: joined.contents_payload,
      steps: withContactStep(joined.contents_contact, joined.contents_steps),
    };
  }
}
