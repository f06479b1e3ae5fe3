import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { HeldRun, JournalEntry } from '../../journal/claimed-run.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import { RunWaitsRepository } from '../../waits/run-waits.repository.js';
import type { Place } from '../../definitions/step-engine.js';
import { bindCondition } from '../../waits/wait-condition.js';
import type { EventWaitStep } from '../../definitions/steps/event-wait-step.js';
import type { StepRunner } from './step-runner.js';
import { WaitRunner } from './wait.runner.js';

/** Keeps a run from going on before an event or a time-out; which of the two comes first is what the step gives. */
@Injectable()
export class EventWaitRunner implements StepRunner<EventWaitStep>, OnModuleInit {
  constructor(
    private readonly progress: RunProgress,
    private readonly scope: RunScope,
    private readonly waits: RunWaitsRepository,
    private readonly timer: WaitRunner,
    private readonly liquid: LiquidSandbox,
  ) {}

  onModuleInit(): void {
    this.progress.beginWaitsBy((held, place) => this.tryToBegin(held, place));
  }

  async run(held: HeldRun, place: Place<EventWaitStep>): Promise<Progress> {
    const waiting = held.journal.get(place.path);
    if (waiting) return await this.progress.fenced(held, () => this.end(held, waiting));
    const entry = held.newEntry(place);
    return await this.progress.orFail(held, place, entry, async () => {
      const scope = await this.scope.of(held, place);
      return this.scope.allows(place.step, scope)
        ? await this.progress.done(held, await this.arm(held, place, entry, scope))
        : await this.progress.done(held, { ...entry, status: 'skipped' });
    });
  }

  /** In the transaction of the step before. What is not to begin, or cannot, is left to `run`, which says why. */
  private async tryToBegin(held: HeldRun, place: Place<EventWaitStep>): Promise<void> {
    try {
      const scope = await this.scope.of(held, place);
      if (!this.scope.allows(place.step, scope)) return;
      await this.progress.record(held, await this.arm(held, place, held.newEntry(place), scope));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
    }
  }

  /** Throws before it has written anything, if at all. */
  private async arm(
    held: HeldRun,
    { step, path }: Place<EventWaitStep>,
    entry: JournalEntry,
    scope: object,
  ): Promise<JournalEntry> {
    const { event, if: condition, any_contact: isOfAny, timeout } = step.wait_for_event;
    const { at: wakeAt } = await this.timer.end(held, { wait: timeout }, scope);
    const bindings = condition === undefined ? null : bindCondition(condition, scope, this.liquid);
    const { organizationId, id: runId } = held.lease;
    const state = await this.waits.arm(organizationId, {
      runId,
      stepId: path,
      event,
      // Nobody means the answers of other people, unless they say so.
      contactId: isOfAny || event === 'resume' ? null : held.run.contactId,
      condition,
      bindings,
    });
    const output = { event, until: wakeAt.toISOString() };
    const waiting = await this.progress.until(held, { ...entry, output }, wakeAt);
    // Its URL was called before the run came here.
    return state === 'delivered' ? { ...waiting, dueAt: performance.now() } : waiting;
  }

  /** Once the event has come, or the time is over: whoever wrote first is right, for both lock the wait. */
  private async end(held: HeldRun, waiting: JournalEntry): Promise<Progress> {
    const { organizationId, id: runId } = held.lease;
    const outcome = await this.waits.take(organizationId, runId, waiting.stepId);
    const isDelivered = outcome?.state === 'delivered';
    if (!isDelivered) {
      const again = await this.progress.until(held, waiting, waiting.wakeAt!);
      // The time of this process may have passed quicker than that of the database, which decides.
      if (again.dueAt! > performance.now()) return await this.progress.done(held, again);
    }
    await this.waits.end(organizationId, runId, waiting.stepId);
    if (outcome?.error) {
      const error = { code: 'invalid_arguments', message: outcome.error };
      return await this.progress.done(held, { ...waiting, status: 'failed', output: null, error });
    }
    const output = { event: isDelivered ? outcome.payload : null, timed_out: !isDelivered };
    return await this.progress.done(held, { ...waiting, status: 'succeeded', output });
  }
}
