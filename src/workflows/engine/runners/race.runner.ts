import { Injectable } from '@nestjs/common';
import type { RaceStep, Step } from '../../definitions/definition.js';
import { CANCELED } from '../../definitions/steps/race-step.js';
import { everyStep } from '../../definitions/steps/step-kinds.js';
import type { JournalEntry } from '../../journal/claimed-run.js';
import { RunJournalRepository } from '../../journal/run-journal.repository.js';
import type { RunTransaction } from '../../journal/run-transaction.js';
import { RunWaitsRepository } from '../../waits/run-waits.repository.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { StepRunner } from './step-runners.service.js';

const CANCELED_BY_RACE = { code: CANCELED, message: 'Another list of the race was done first.' };

/** Opens a race, and ends it when the engine has found a list that is done. */
@Injectable()
export class RaceRunner implements StepRunner<RaceStep> {
  readonly kind = 'race';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly journal: RunJournalRepository,
    private readonly waits: RunWaitsRepository,
  ) {}

  async run(attempt: StepAttempt<RaceStep>): Promise<Progress> {
    const open = attempt.run.get(attempt.place.path);
    return open ? await this.end(attempt, open) : await this.begin(attempt);
  }

  private async begin(attempt: StepAttempt<RaceStep>): Promise<Progress> {
    const { step } = attempt.place;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const isMet =
        step.if === undefined || (await this.scope.getScopeIfMet(tx, attempt.place)) !== undefined;
      return isMet ? entry : undefined;
    });
  }

  /** Records the winner, and cancels the steps of the other lists in the same transaction. */
  private async end(attempt: StepAttempt<RaceStep>, open: JournalEntry): Promise<Progress> {
    const { step, path } = attempt.place;
    return await this.progress.transaction(attempt, async (tx) => {
      const winner = tx.plan().winners.get(path);
      if (winner === undefined) throw new Error('A race has ended without a winner.');
      const prefix = path.slice(0, path.length - step.id.length);
      const lost = step.race.flatMap((steps, lane) => (lane === winner ? [] : everyStep(steps)));
      await this.cancel(tx, lost, prefix);
      const last = tx.get(prefix + step.race[winner]!.at(-1)!.id);
      const result = last?.status === 'failed' ? { error: last.error } : (last?.output ?? null);
      const output = { winner, result };
      return await this.progress.complete(tx, { ...open, status: 'succeeded', output });
    });
  }

  private async cancel(tx: RunTransaction, steps: readonly Step[], prefix: string): Promise<void> {
    const { organizationId, id: runId } = tx.run.lease;
    const isInside = isBelow(new Set(steps.map(({ id }) => id)), prefix);
    for (const entry of tx.entries.values()) {
      if (entry.status !== 'running' && entry.status !== 'waiting') continue;
      if (!isInside(entry.stepId)) continue;
      await this.waits.cancelChild(organizationId, runId, entry.stepId);
      await this.waits.end(organizationId, runId, entry.stepId);
      this.journal.record(tx, {
        ...entry,
        status: 'skipped',
        output: null,
        error: CANCELED_BY_RACE,
        wakeAt: null,
      });
    }
  }
}

/** Returns a function that returns true for the paths of these steps and of all steps inside their loops. */
function isBelow(ids: ReadonlySet<string>, prefix: string): (path: string) => boolean {
  return (path) => {
    if (!path.startsWith(prefix)) return false;
    const [id] = path.slice(prefix.length).split(/[[.:]/, 1);
    return ids.has(id!);
  };
}
