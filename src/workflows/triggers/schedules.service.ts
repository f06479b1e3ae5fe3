import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { Claim } from '../../queue/leased-work.js';
import { pauseAfter } from '../../queue/pause-after.js';
import { Cron } from '../definitions/calendar/cron.js';
import { RunsRepository } from '../journal/runs.repository.js';
import type { RunStart } from './run-starts.service.js';
import { type DueTick, SchedulesRepository } from './schedules.repository.js';
import { TriggerFilterService } from './trigger-filter.service.js';
import type { TriggerOptions } from '../definitions/trigger.js';
import type { Workflow } from '../store/workflow.entity.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';

/** The milliseconds after which a due tick that was not claimed counts as missed. */
const MISSED_AFTER_MS = 60_000;
/** The number of characters of an invalid cron expression that its error shows. */
const MAX_SHOWN = 200;

@Injectable()
export class SchedulesService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly schedules: SchedulesRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly filter: TriggerFilterService,
    private readonly runs: RunsRepository,
  ) {}

  /**
   * Plans the first tick after now, or removes the tick of a workflow without an active schedule. Call it in the
   * transaction that changes the workflow.
   */
  async plan(organizationId: string, workflowId: string): Promise<void> {
    const workflow = await this.workflows.find(organizationId, workflowId);
    const isPlanned = workflow?.active && workflow.triggerType === 'schedule';
    const next = isPlanned
      ? nextTick(workflow.triggerOptions, await this.runs.now(organizationId))
      : undefined;
    await this.schedules.set(organizationId, workflowId, next);
  }

  /** Returns the next times of an active schedule, at most `count`. Returns undefined for any other workflow. */
  async nextTimes(
    { organizationId, active, triggerType, triggerOptions }: Workflow,
    count: number,
  ): Promise<Date[] | undefined> {
    if (!active || triggerType !== 'schedule') return undefined;
    const cron = readCron(triggerOptions);
    const times: Date[] = [];
    let last = await this.runs.now(organizationId);
    while (times.length < count) {
      const next = cron.next(last, triggerOptions.timezone!);
      if (!next) break;
      times.push(next);
      last = next;
    }
    return times;
  }

  /**
   * Starts the run of a claimed tick and plans the next tick in one transaction, so a crash neither loses nor repeats a
   * tick. When a quota is used up, the tick is due again after a pause.
   */
  async startTick(claim: Claim): Promise<void> {
    const { organizationId, id, epoch } = claim;
    try {
      await this.tenants.transaction(organizationId, () => this.startClaimed(claim));
    } catch (error) {
      const seconds = pauseAfter(error);
      if (seconds === undefined) throw error;
      await this.tenants.transaction(organizationId, () =>
        this.schedules.pause(organizationId, id, epoch, seconds),
      );
    }
  }

  private async startClaimed({ organizationId, id, epoch }: Claim): Promise<void> {
    const due = await this.schedules.fence(organizationId, id, epoch);
    if (!due) return;
    const workflow = await this.workflows.find(organizationId, id);
    const next = workflow && (await this.startDue(workflow, due));
    await this.schedules.set(organizationId, id, next ?? undefined);
  }

  /** Starts the run of the tick, unless it was missed and is skipped. Returns the next tick. */
  private async startDue(workflow: Workflow, { at, now }: DueTick): Promise<Date | undefined> {
    const options = workflow.triggerOptions;
    const isMissed = now.getTime() - at.getTime() > MISSED_AFTER_MS;
    if (isMissed && options.missed === 'skip') {
      const next = nextTick(options, new Date(now.getTime() - MISSED_AFTER_MS));
      // The tick of this minute may be due too. It is on time, so it is not skipped.
      return next && next <= now ? await this.startDue(workflow, { at: next, now }) : next;
    }
    await this.start(workflow, at);
    // One run replaces all missed ticks, so the next tick is after now.
    return nextTick(options, isMissed ? now : at);
  }

  private async start(workflow: Workflow, at: Date): Promise<void> {
    const { organizationId, id, triggerOptions } = workflow;
    const payload = { scheduled_at: at.toISOString() };
    const start: RunStart = {
      workflowId: id,
      triggerType: 'schedule',
      payload: Buffer.from(JSON.stringify(payload)),
      contactId: null,
      // The key is a second protection against two runs of a tick. Keys of webhooks contain no space.
      dedupeKey: `schedule ${payload.scheduled_at}`,
    };
    await this.filter.start(organizationId, start, payload, triggerOptions.if);
  }
}

function nextTick(options: TriggerOptions, after: Date): Date | undefined {
  return readCron(options).next(after, options.timezone!);
}

/** Throws an error for a stored expression that is not valid. */
function readCron({ cron = '' }: TriggerOptions): Cron {
  const parsed = Cron.parse(cron);
  if (parsed instanceof Cron) return parsed;
  throw new Error(`The saved cron expression ${cron.slice(0, MAX_SHOWN)} is not valid.`);
}
