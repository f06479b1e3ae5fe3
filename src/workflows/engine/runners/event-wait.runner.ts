import { Injectable } from '@nestjs/common';
import type { EventWaitStep } from '../../definitions/definition.js';
import type { JournalEntry } from '../../journal/claimed-run.js';
import type { RunTransaction } from '../../journal/run-transaction.js';
import { RunsRepository } from '../../journal/runs.repository.js';
import { RunWaitsRepository } from '../../waits/run-waits.repository.js';
import { EventWaitsService } from '../event-waits.service.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import { toWaiting } from '../wait-times.js';
import type { StepRunner } from './step-runners.service.js';

/** Pauses a run until an event or a timeout. The output tells which of the two came first. */
@Injectable()
export class EventWaitRunner implements StepRunner<EventWaitStep> {
  readonly kind = 'event_wait';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly runs: RunsRepository,
    private readonly waits: RunWaitsRepository,
    private readonly eventWaits: EventWaitsService,
  ) {}

  async run(attempt: StepAttempt<EventWaitStep>): Promise<Progress> {
    const { run, place } = attempt;
    const waiting = run.get(place.path);
    if (waiting) {
      return await this.progress.transaction(attempt, (tx) => this.end(tx, waiting));
    }
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScope(tx, place, true);
      const isMet = this.scope.isConditionMet(place.step, scope);
      return await this.progress.complete(
        tx,
        isMet
          ? await this.eventWaits.begin(tx, place, entry, scope)
          : { ...entry, status: 'skipped' },
      );
    });
  }

  /** Ends the wait if the event has come or the time is over. The lock on the wait decides which of them was first. */
  private async end(tx: RunTransaction, waiting: JournalEntry): Promise<Progress> {
    const { organizationId, id: runId } = tx.run.lease;
    const outcome = await this.waits.findForUpdate(organizationId, runId, waiting.stepId);
    const isDelivered = outcome?.state === 'delivered';
    if (!isDelivered) {
      const now = await this.runs.now(organizationId);
      // The clock of this process may be ahead of the database clock, which decides.
      if (waiting.wakeAt!.getTime() > now.getTime()) {
        return await this.progress.complete(tx, toWaiting(waiting, waiting.wakeAt!, now));
      }
    }
    await this.waits.end(organizationId, runId, waiting.stepId);
    if (outcome?.error) {
      const error = { code: 'invalid_arguments', message: outcome.error };
      return await this.progress.complete(tx, {
        ...waiting,
        status: 'failed',
        output: null,
        error,
      });
    }
    const output = { event: isDelivered ? outcome.payload : null, timed_out: !isDelivered };
    return await this.progress.complete(tx, { ...waiting, status: 'succeeded', output });
  }
}
