import { Injectable } from '@nestjs/common';
import { parseTimezone } from '../../../contacts/parse-field.js';
import { AppError } from '../../../errors/app-error.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import { parseTime } from '../../../text/parse-time.js';
import type { HeldRun } from '../../journal/claimed-run.js';
import { instantOf, isLocalTime, isTimeOfDay } from '../../definitions/calendar/local-time.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import { RunsRepository } from '../../journal/runs.repository.js';
import type { Place } from '../../definitions/step-engine.js';
import type { StepRunner } from './step-runner.js';
import {
  MAX_WAIT_SECONDS,
  TIMES_IN_WORDS,
  UNIT_SECONDS,
  type WaitStep,
  type WaitUnit,
} from '../../definitions/steps/wait-step.js';

/** When a wait ends, and by which clocks that was found. */
export interface End {
  readonly at: Date;
  readonly timezone?: string;
}

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
      const { at, timezone } = await this.end(held, place.step, scope);
      const output = { until: at.toISOString(), ...(timezone !== undefined && { timezone }) };
      return await this.progress.done(
        held,
        await this.progress.until(held, { ...entry, output }, at),
      );
    });
  }

  /** When a wait that begins now is over. */
  async end(held: HeldRun, { wait }: Pick<WaitStep, 'wait'>, scope: object): Promise<End> {
    const now = await this.runs.now(held.lease.organizationId);
    const { until } = wait;
    if (until === undefined) {
      const [unit, amount] = Object.entries(wait)[0] as [WaitUnit, number];
      return { at: new Date(now.getTime() + amount * UNIT_SECONDS[unit] * 1000) };
    }
    const text = this.liquid.evaluate(until, scope);
    const time = parseTime(text);
    const end = time ? { at: time } : this.localEnd(text, wait, now, scope);
    if (end.at.getTime() > now.getTime() + MAX_WAIT_SECONDS * 1000) {
      throw AppError.invalid('until is more than 366 days away.');
    }
    return end;
  }

  private localEnd(text: unknown, wait: WaitStep['wait'], now: Date, scope: object): End {
    const { weekdays } = wait;
    if (typeof text !== 'string' || !isLocalTime(text)) {
      throw AppError.invalid(`until is neither ${TIMES_IN_WORDS}.`);
    }
    if (weekdays && !isTimeOfDay(text)) throw AppError.invalid('weekdays is for a time of day.');
    const timezone = this.zoneOf(wait, scope);
    return { at: instantOf(text, timezone, now, weekdays), timezone };
  }

  /** What the step says, or else the contact, or else UTC. */
  private zoneOf({ timezone }: WaitStep['wait'], scope: object): string {
    const { contact } = scope as { contact?: { timezone?: unknown } | null };
    const said = timezone === undefined ? null : this.liquid.evaluate(timezone, scope);
    const given = [said, contact?.timezone].find((zone) => zone !== null && zone !== '') ?? 'UTC';
    const name = typeof given === 'string' ? given : JSON.stringify(given);
    const zone = parseTimezone(name);
    if ('fault' in zone) throw AppError.invalid(`timezone ${zone.fault}.`);
    return name;
  }
}
