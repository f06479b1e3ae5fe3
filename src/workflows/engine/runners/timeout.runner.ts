import { Injectable } from '@nestjs/common';
import type { TimeoutStep } from '../../definitions/definition.js';
import { TIMED_OUT } from '../../definitions/steps/timeout-step.js';
import type { JournalEntry } from '../../journal/claimed-run.js';
import { RunsRepository } from '../../journal/runs.repository.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { toWaiting } from '../wait-times.js';
import type { Sharing, StepRunner } from './step-runners.service.js';

/** Begins the timeout of a run before its first step, and fails the run when the time is over. */
@Injectable()
export class TimeoutRunner implements StepRunner<TimeoutStep> {
  readonly kind = 'timeout';

  constructor(
    private readonly progress: RunProgressService,
    private readonly runs: RunsRepository,
  ) {}

  getSharing(): Sharing {
    return 'reads';
  }

  async run(attempt: StepAttempt<TimeoutStep>): Promise<Progress> {
    const { run, place, shared } = attempt;
    const { organizationId } = run.lease;
    const { run_timeout_seconds: seconds } = place.step;
    const open = (shared ?? run).get(place.path);
    return await this.progress.attempt(attempt, async (_tx, entry) => {
      const now = await this.runs.now(organizationId);
      if (!open) {
        const end = new Date(now.getTime() + seconds * 1000);
        return toWaiting({ ...entry, output: { until: end.toISOString() } }, end, now);
      }
      // The database clock decides whether the time is over. The clock of this process may be ahead of the database
      // clock.
      if (open.wakeAt! > now) return toWaiting(open, open.wakeAt!, now);
      return toTimedOut(open, seconds);
    });
  }
}

function toTimedOut(open: JournalEntry, seconds: number): JournalEntry {
  const message = `The run did not end within its timeout of ${seconds} s.`;
  return { ...open, status: 'failed', error: { code: TIMED_OUT, message } };
}
