import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { Failpoints } from '../../../failpoints/failpoints.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { RegisteredTool } from '../../../tools/registry/registered-tool.js';
import type { HeldRun, JournalEntry } from '../../journal/claimed-run.js';
import { LeaseLost } from '../../journal/lease-lost.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import { renderArguments } from '../../definitions/scope.js';
import { StepCaller } from '../step-caller.service.js';
import type { Place } from '../../definitions/step-engine.js';
import type { Sharing, StepRunner } from './step-runner.js';
import type { ToolStep } from '../../definitions/steps/tool-step.js';

/** Calls the tools of steps. */
@Injectable()
export class ToolRunner implements StepRunner<ToolStep> {
  constructor(
    private readonly caller: StepCaller,
    private readonly progress: RunProgress,
    private readonly scope: RunScope,
    private readonly liquid: LiquidSandbox,
    private readonly failpoints: Failpoints,
  ) {}

  sharing({ tool: name }: ToolStep): Sharing {
    const tool = this.caller.find(name);
    if (tool?.external) return 'alone';
    return tool?.readOnly ? 'reads' : 'changes';
  }

  /** Tries the step once. */
  async run(held: HeldRun, place: Place<ToolStep>): Promise<Progress> {
    const { step, path } = place;
    const entry = held.newEntry(place, step.tool);
    entry.attempts = (held.journalAfter(path)?.attempts ?? 0) + 1;
    const tool = this.caller.find(step.tool);
    try {
      return await (tool?.external
        ? this.callOutside(held, place, tool, entry)
        : this.callInside(held, place, tool, entry));
    } catch (error) {
      if (error instanceof LeaseLost || held.signal.aborted) throw new LeaseLost();
      return await this.progress.failed(held, place, entry, error);
    }
  }

  private async callInside(
    held: HeldRun,
    place: Place<ToolStep>,
    tool: RegisteredTool | undefined,
    entry: JournalEntry,
  ): Promise<Progress> {
    const { step } = place;
    if (!held.isShared) await this.failpoints.reach('before step transaction', held.lease.id);
    return await this.progress.fenced(held, async () => {
      const input = await this.inputOf(held, place);
      if (!input) return await this.progress.done(held, { ...entry, status: 'skipped' });
      entry.input = input;
      if (!tool) throw AppError.invalid(`There is no tool called ${step.tool} any more.`);
      const output = await this.caller.call(held, tool, input, step.timeout);
      return await this.progress.done(held, { ...entry, status: 'succeeded', output });
    });
  }

  /**
   * A tool that talks to the outside gets no transaction while it waits: the intent is written before, the outcome
   * after. A worker that dies in between makes the call happen again, with the same idempotency key.
   */
  private async callOutside(
    held: HeldRun,
    place: Place<ToolStep>,
    tool: RegisteredTool,
    entry: JournalEntry,
  ): Promise<Progress> {
    const { step, path } = place;
    const skipped = await this.progress.fenced(held, async () => {
      // What goes out again under the same key must be the same, though the contact may have changed since.
      const earlier = held.journal.get(path)?.input as Record<string, unknown> | null | undefined;
      const input = earlier ?? (await this.inputOf(held, place));
      if (!input) return await this.progress.done(held, { ...entry, status: 'skipped' });
      entry.input = withKey(tool, input, `${held.lease.id}:${path}`);
      await this.progress.record(held, entry);
      return undefined;
    });
    if (skipped) return skipped;
    const output = await this.caller.call(held, tool, entry.input ?? {}, step.timeout);
    return await this.progress.fenced(held, () =>
      this.progress.done(held, { ...entry, status: 'succeeded', output }),
    );
  }

  /** The arguments of a step, or undefined when its condition does not hold. */
  private async inputOf(
    held: HeldRun,
    place: Place<ToolStep>,
  ): Promise<Record<string, unknown> | undefined> {
    const scope = await this.scope.ofNamed(held, place);
    if (!this.scope.allows(place.step, scope)) return undefined;
    return renderArguments(place.step.arguments ?? {}, scope, this.liquid);
  }
}

function withKey(tool: RegisteredTool, given: Record<string, unknown>, key: string): object {
  const takesKey = Object.hasOwn(tool.descriptor.inputSchema.properties, 'idempotency_key');
  const hasKey = given.idempotency_key !== undefined && given.idempotency_key !== null;
  return takesKey && !hasKey ? { ...given, idempotency_key: key } : given;
}
