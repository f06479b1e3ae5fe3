import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { Claim } from '../../queue/leased-work.js';
import { Cron } from '../definitions/calendar/cron.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { RunStarts } from './run-starts.service.js';
import { type DueTick, SchedulesRepository } from './schedules.repository.js';
import { TriggerFilter } from './trigger-filter.service.js';
import type { TriggerOptions } from '../definitions/trigger.js';
import type { Workflow } from '../store/workflow.entity.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';

/** A tick that is taken later than this was missed: nobody was there to take it. */
const MISSED_AFTER_MS = 60_000;

/** The times at which workflows start by themselves. */
@Injectable()
export class SchedulesService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly schedules: SchedulesRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly filter: TriggerFilter,
    private readonly runs: RunStarts,
    private readonly runRows: RunsRepository,
  ) {}

  /** Sets when the workflow starts next, from now on; called in the transaction that changes it. */
  async plan(organizationId: string, workflowId: string): Promise<void> {
    const workflow = await this.workflows.find(organizationId, workflowId);
    if (workflow?.active && workflow.triggerType === 'schedule') {
      const now = await this.runRows.now(organizationId);
      await this.set(organizationId, workflowId, nextTick(workflow.triggerOptions, now));
    } else await this.schedules.delete(organizationId, workflowId);
  }

  /**
   * Starts the run of a claimed tick and sets the next one, in one transaction: a tick that was started is never seen
   * again, and one whose worker died is still there.
   */
  async tick({ organizationId, id, epoch }: Claim): Promise<void> {
    await this.tenants.transaction(organizationId, async () => {
      const due = await this.schedules.fence(organizationId, id, epoch);
      if (!due) return;
      const workflow = await this.workflows.find(organizationId, id);
      const next = workflow && (await this.take(workflow, due));
      await this.set(organizationId, id, next ?? undefined);
    });
  }

  /** Starts what the tick is to start, and returns the next one. */
  private async take(workflow: Workflow, { at, now }: DueTick): Promise<Date | undefined> {
    const options = workflow.triggerOptions;
    const isMissed = now.getTime() - at.getTime() > MISSED_AFTER_MS;
    if (isMissed && options.missed === 'skip') {
      const next = nextTick(options, new Date(now.getTime() - MISSED_AFTER_MS));
      // The one of this minute has come too, and is in time.
      return next && next <= now ? await this.take(workflow, { at: next, now }) : next;
    }
    await this.start(workflow, at);
    // The run of a missed tick stands for all that were missed.
    return nextTick(options, isMissed ? now : at);
  }

  private async start(workflow: Workflow, at: Date): Promise<void> {
    const { organizationId, id, triggerOptions } = workflow;
    const payload = { scheduled_at: at.toISOString() };
    const wanted = await this.filter.apply(
      organizationId,
      {
        workflowId: id,
        triggerType: 'schedule',
        payload: Buffer.from(JSON.stringify(payload)),
        contactId: null,
        // The second wall behind the epoch. The space keeps it apart from the keys of webhooks, which have none.
        dedupeKey: `schedule ${payload.scheduled_at}`,
      },
      payload,
      triggerOptions.if,
    );
    if (wanted) await this.runs.start(organizationId, wanted);
  }

  private async set(
    organizationId: string,
    workflowId: string,
    next: Date | undefined,
  ): Promise<void> {
    if (next) await this.schedules.set(organizationId, workflowId, next);
    else await this.schedules.delete(organizationId, workflowId);
  }
}

function nextTick({ cron, timezone }: TriggerOptions, after: Date): Date | undefined {
  const parsed = Cron.parse(cron!);
  if (!(parsed instanceof Cron)) throw new Error('A schedule was saved that is none.');
  return parsed.next(after, timezone!);
}
