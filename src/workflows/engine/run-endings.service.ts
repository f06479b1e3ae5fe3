import { Injectable, Logger } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { AppError } from '../../errors/app-error.js';
import { type DomainEvent, DomainEvents } from '../../events/domain-events.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { WakeUps } from '../../queue/wake-ups.js';
import type { Place, Plan } from '../definitions/step-engine.js';
import { isReturn, RETURNED } from '../definitions/steps/return-step.js';
import { hasStopped } from '../definitions/steps/stop-step.js';
import { isTimeoutStep, TIMED_OUT } from '../definitions/steps/timeout-step.js';
import type { ClaimedRunRow } from '../journal/claimed-run.js';
import { MAX_LOADED_BYTES, MAX_LOADED_ENTRIES } from '../journal/journal-size.js';
import type { RunTransaction } from '../journal/run-transaction.js';
import type { StepError } from '../journal/run.entity.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { RunWaitsRepository } from '../waits/run-waits.repository.js';

/**
 * The reason of a run that failed because its journal or its definition is too large. Only earlier releases, or SQL of
 * a tool, stored such values.
 */
const TOO_LARGE = 'too_large';

/** Ends runs, wakes the runs that wait for them, and emits `run.failed`. */
@Injectable()
export class RunEndingsService {
  private readonly logger = new Logger('Run');

  constructor(
    private readonly env: Env,
    private readonly tenants: TenantDatabase,
    private readonly runs: RunsRepository,
    private readonly waits: RunWaitsRepository,
    private readonly wakeUps: WakeUps,
    private readonly events: DomainEvents,
    private readonly failpoints: Failpoints,
  ) {}

  async end(tx: RunTransaction, { status, at }: NonNullable<Plan['end']>): Promise<void> {
    const { lease, row } = tx.run;
    if (this.env.logsWork) this.tenants.afterCommit(() => this.logEnd(row, status));
    if (status === 'succeeded') {
      await this.failpoints.reach('after last step, before done', lease.id);
      this.runs.finish(lease, status, at ? reasonOfEnd(at) : null);
      return await this.wakeParents(tx);
    }
    const { path } = at!;
    const failure = { step: path, error: tx.get(path)?.error ?? null };
    await this.recordFailure(tx, reasonOfFailure(at!, tx), failure);
  }

  /**
   * Ends a run whose journal is too large for a worker. With `definitionError`, the reason is not the journal but the
   * definition of the run.
   */
  async endTooLarge(tx: RunTransaction, definitionError?: AppError): Promise<void> {
    const { row } = tx.run;
    if (this.env.logsWork) this.tenants.afterCommit(() => this.logEnd(row, 'failed'));
    const error = {
      code: 'invalid_arguments',
      message:
        definitionError?.message ??
        `The run has more than ${MAX_LOADED_ENTRIES} steps outside of finished items of loops, ` +
          `or its inputs and outputs are larger than ${MAX_LOADED_BYTES} bytes.`,
    };
    await this.recordFailure(tx, TOO_LARGE, { step: null, error });
  }

  private async recordFailure(
    tx: RunTransaction,
    reason: string,
    failure: { step: string | null; error: StepError | null },
  ): Promise<void> {
    const { lease, row, data } = tx.run;
    this.runs.finish(lease, 'failed', reason);
    await this.wakeParents(tx);
    const event = runFailedEvent(row, data.workflowName, reason, failure);
    await this.events.emit(lease.organizationId, event);
  }

  private logEnd(row: ClaimedRunRow, status: string): void {
    const { id: run, workflowId: workflow, organizationId: organization, createdAt } = row;
    this.logger.log({ run, status, ms: Date.now() - createdAt.getTime(), workflow, organization });
  }

  /**
   * Sends wake-ups for the waiting parent runs. SQL has made them due. Without a wake-up, the poll would find them a
   * second later.
   */
  private async wakeParents({ run: { row, lease } }: RunTransaction): Promise<void> {
    if (row.depth === 0) return;
    const parents = await this.waits.findParents(lease.organizationId, lease.id);
    for (const id of parents) this.tenants.afterCommit(() => this.wakeUps.wake('run', id));
  }
}

function reasonOfEnd({ step, path }: Place): string {
  return `${isReturn(step) ? RETURNED : 'stopped:'}${path}`;
}

function reasonOfFailure({ step, path }: Place, tx: RunTransaction): string {
  if (isTimeoutStep(step)) return TIMED_OUT;
  return `${hasStopped(step, tx.get(path)?.output) ? 'stopped' : 'step_failed'}:${path}`;
}

const MAX_MESSAGE = 1000;

/** The step that failed, and its error. A parked run has no failed step. */
interface RunFailure {
  step: string | null;
  error: StepError | null;
}

/** Creates the `run.failed` event of a run. The event names the failed run as its cause. */
export function runFailedEvent(
  run: Omit<ClaimedRunRow, 'organizationId' | 'depth' | 'crashes' | 'createdAt' | 'request'>,
  workflowName: string,
  reason: string,
  { step, error }: RunFailure,
): DomainEvent {
  const { id, workflowId, workflowVersion, contactId, triggerType } = run;
  return {
    name: 'run.failed',
    contactId,
    runId: id,
    payload: {
      event: 'run.failed',
      run: {
        id,
        workflow_id: workflowId,
        workflow_version: workflowVersion,
        status: 'failed',
        reason,
        trigger: { type: triggerType },
        contact_id: contactId,
      },
      workflow: { id: workflowId, name: workflowName },
      error: error && {
        step,
        code: error.code,
        message: error.message.slice(0, MAX_MESSAGE).toWellFormed(),
      },
    },
  };
}
