import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { parseTime } from '../../tools/parse-time.js';
import type { HeldRun } from '../held-run.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import { RunsRepository } from '../runs.repository.js';
import type { Place } from '../step-engine.js';
import type { StepRunner } from './step-runner.js';
import { MAX_WAIT_SECONDS, UNIT_SECONDS, type WaitStep, type WaitUnit } from './wait-step.js';

/** Keeps a run from going on before a time. */
@Injectable()
export class WaitRunner implements StepRunner<WaitStep> {
  constructor(
    private readonly progress: RunProgress,
    private readonly scope: RunScope,
    private readonly runs: RunsRepository,
    private readonly liquid: LiquidSandbox,
  ) {}

  async run(held: HeldRun, place: Place<WaitStep>): Promise<Progress> {
    const waiting = held.journal.get(place.path);
    if (!waiting) return await this.begin(held, place);
    return await this.progress.fenced(held, async () => {
      const again = await this.progress.until(held, waiting, waiting.wakeAt!);
      // The time of this process may have passed quicker than that of the database, which decides.
      const isDue = again.dueAt! <= performance.now();
      return await this.progress.done(held, isDue ? { ...waiting, status: 'succeeded' } : again);
    });
  }

  private async begin(held: HeldRun, place: Place<WaitStep>): Promise<Progress> {
    const entry = held.newEntry(place);
    return await this.progress.orFail(held, place, entry, async () => {
      const scope = await this.scope.of(held, place);
      if (!this.scope.allows(place.step, scope)) {
        return await this.progress.done(held, { ...entry, status: 'skipped' });
      }
      const wakeAt = await this.wakeTime(held, place.step, scope);
      const output = { until: wakeAt.toISOString() };
      return await this.progress.done(
        held,
        await this.progress.until(held, { ...entry, output }, wakeAt),
      );
    });
  }

  private async wakeTime(held: HeldRun, { wait }: WaitStep, scope: object): Promise<Date> {
    const now = (await this.runs.now(held.lease.organizationId)).getTime();
    const { until, ...amounts } = wait;
    if (until === undefined) {
      const [unit, amount] = Object.entries(amounts)[0] as [WaitUnit, number];
      return new Date(now + amount * UNIT_SECONDS[unit] * 1000);
    }
    const time = parseTime(this.liquid.evaluate(until, scope));
    if (!time) throw AppError.invalid('until is not an RFC 3339 time.');
    if (time.getTime() > now + MAX_WAIT_SECONDS * 1000) {
      throw AppError.invalid('until is more than 366 days away.');
    }
    return time;
  }
}
