import { Injectable } from '@nestjs/common';
import type { EventWaitStep } from '../../definitions/definition.js';
import type { JournalEntry } from '../../journal/claimed-run.js';
import type { RunTransaction } from '../../journal/run-transaction.js';
import { EventWaitsService } from '../event-waits.service.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { StepRunner } from './step-runners.service.js';

/** Lets a run wait for an event or a timeout. The output shows which of them came first. */
@Injectable()
export class EventWaitRunner implements StepRunner<EventWaitStep> {
  readonly kind = 'event_wait';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly eventWaits: EventWaitsService,
  ) {}

  async run(attempt: StepAttempt<EventWaitStep>): Promise<Progress> {
    const { run, place } = attempt;
    const waiting = run.get(place.path);
    if (waiting) {
      return await this.progress.transaction(attempt, (tx) => this.end(tx, waiting));
    }
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScopeIfMet(tx, place, true);
      return scope && (await this.eventWaits.begin(tx, place, entry, scope));
    });
  }

  private async end(tx: RunTransaction, entry: JournalEntry): Promise<Progress> {
    const ended = await this.eventWaits.end(tx, entry);
    if ('waiting' in ended) return await this.progress.complete(tx, ended.waiting);
    const { delivered } = ended;
    if (delivered?.error) {
      const error = { code: 'invalid_arguments', message: delivered.error };
      const failed = { ...entry, status: 'failed', output: null, error } as const;
      return await this.progress.complete(tx, failed);
    }
    const output = { event: delivered?.payload ?? null, timed_out: !delivered };
    return await this.progress.complete(tx, { ...entry, status: 'succeeded', output });
  }
}
