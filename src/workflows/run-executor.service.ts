import { Injectable } from '@nestjs/common';
import { ContactView } from '../contacts/contact-view.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { TenantDatabase } from '../database/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { parseJson } from '../http/parse-json.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { parseTime } from '../tools/parse-time.js';
import type { RegisteredTool } from '../tools/registered-tool.js';
import {
  type BranchStep,
  MAX_WAIT_SECONDS,
  type ToolStep,
  UNIT_SECONDS,
  type WaitStep,
  type WaitUnit,
} from './definition.js';
import { type HeldRun, type JournalEntry, newEntry, nextOf, type RunLease } from './held-run.js';
import { LeaseLost } from './lease-lost.js';
import { RunJournalRepository } from './run-journal.repository.js';
import { type Progress, RunProgress } from './run-progress.service.js';
import { RunsRepository } from './runs.repository.js';
import { renderArguments, stepValue } from './scope.js';
import { StepCaller } from './step-caller.service.js';
import { WorkflowsRepository } from './workflows.repository.js';

/**
 * Carries a run on from where its journal ends. What a step does to the data of the organization, its row in the
 * journal and the check of the lease commit together, so each such step happens exactly once.
 */
@Injectable()
export class RunExecutor {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly journal: RunJournalRepository,
    private readonly contacts: ContactsService,
    private readonly caller: StepCaller,
    private readonly progress: RunProgress,
    private readonly liquid: LiquidSandbox,
    private readonly failpoints: Failpoints,
  ) {}

  /** Runs steps until the run ends, waits, or is no longer held. */
  async execute(lease: RunLease, signal: AbortSignal): Promise<void> {
    try {
      const held = await this.load(lease, signal);
      let progress: Progress = 'on';
      while (progress === 'on' && !signal.aborted) progress = await this.advance(held);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  }

  private async load(lease: RunLease, signal: AbortSignal): Promise<HeldRun> {
    const { organizationId, id } = lease;
    return await this.tenants.transaction(
      organizationId,
      async () => {
        const run = await this.runs.find(organizationId, id);
        if (run?.epoch !== lease.epoch) throw new LeaseLost();
        const { workflowId, workflowVersion } = run;
        const entries = await this.journal.read(organizationId, id);
        return {
          lease,
          signal,
          run,
          steps: await this.workflows.getSteps(organizationId, workflowId, workflowVersion),
          workflowName: await this.workflows.getName(organizationId, workflowId),
          payload: parseJson(await this.runs.getPayload(organizationId, id)),
          journal: new Map(entries.map((entry) => [entry.stepId, entry])),
        };
      },
      { readOnly: true },
    );
  }

  private async advance(held: HeldRun): Promise<Progress> {
    const action = nextOf(held.steps, [...held.journal.values()]);
    switch (action.kind) {
      case 'call':
        return await this.attempt(held, action.step);
      case 'branch':
        return await this.choose(held, action.step);
      case 'wait':
        return await this.wait(held, action.step);
      case 'sleep':
        return await this.progress.sleep(held, held.journal.get(action.step.id)!);
      case 'wake': {
        const entry = held.journal.get(action.step.id)!;
        return await this.progress.fenced(held, () =>
          this.progress.done(held, { ...entry, status: 'succeeded' }),
        );
      }
      case 'fail':
      case 'finish':
        return await this.progress.fenced(held, () => this.progress.goOn(held));
    }
  }

  /** Tries a tool step once and writes down what became of it. */
  private async attempt(held: HeldRun, step: ToolStep): Promise<Progress> {
    const entry = newEntry(held, step, step.tool);
    entry.attempts = (held.journal.get(step.id)?.attempts ?? 0) + 1;
    const tool = this.caller.find(step.tool);
    try {
      return await (tool?.external
        ? this.callOutside(held, step, tool, entry)
        : this.callInside(held, step, tool, entry));
    } catch (error) {
      if (error instanceof LeaseLost || held.signal.aborted) throw new LeaseLost();
      return await this.progress.failed(held, step, entry, error);
    }
  }

  private async callInside(
    held: HeldRun,
    step: ToolStep,
    tool: RegisteredTool | undefined,
    entry: JournalEntry,
  ): Promise<Progress> {
    await this.failpoints.reach('before step transaction', held.lease.id);
    return await this.progress.fenced(held, async () => {
      const input = await this.inputOf(held, step);
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
    step: ToolStep,
    tool: RegisteredTool,
    entry: JournalEntry,
  ): Promise<Progress> {
    const skipped = await this.progress.fenced(held, async () => {
      // What goes out again under the same key must be the same, though the contact may have changed since.
      const earlier = held.journal.get(step.id)?.input as
        Record<string, unknown> | null | undefined;
      const input = earlier ?? (await this.inputOf(held, step));
      if (!input) return await this.progress.done(held, { ...entry, status: 'skipped' });
      entry.input = withKey(tool, input, `${held.lease.id}:${step.id}`);
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
    step: ToolStep,
  ): Promise<Record<string, unknown> | undefined> {
    const scope = await this.scope(held);
    if (step.if !== undefined && !this.liquid.test(step.if, scope)) return undefined;
    return renderArguments(step.arguments ?? {}, scope, this.liquid);
  }

  private async choose(held: HeldRun, step: BranchStep): Promise<Progress> {
    const entry = newEntry(held, step, null);
    return await this.orFail(held, step, entry, async () => {
      const branch = this.liquid.test(step.if, await this.scope(held)) ? 'then' : 'else';
      return await this.progress.done(held, { ...entry, status: 'succeeded', output: { branch } });
    });
  }

  private async wait(held: HeldRun, step: WaitStep): Promise<Progress> {
    const entry = newEntry(held, step, null);
    return await this.orFail(held, step, entry, async () => {
      if (step.if !== undefined && !this.liquid.test(step.if, await this.scope(held))) {
        return await this.progress.done(held, { ...entry, status: 'skipped' });
      }
      const wakeAt = await this.wakeTime(held, step);
      const output = { until: wakeAt.toISOString() };
      const waiting: JournalEntry = { ...entry, status: 'waiting', wakeAt, output };
      await this.progress.record(held, waiting);
      return await this.progress.sleep(held, waiting);
    });
  }

  /** Only an expression can fail here; anything else is not the fault of the definition, and is tried again. */
  private async orFail(
    held: HeldRun,
    step: BranchStep | WaitStep,
    entry: JournalEntry,
    work: () => Promise<Progress>,
  ): Promise<Progress> {
    try {
      return await this.progress.fenced(held, work);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
      return await this.progress.failed(held, step, entry, error);
    }
  }

  private async wakeTime(held: HeldRun, step: WaitStep): Promise<Date> {
    const now = (await this.runs.now(held.lease.organizationId)).getTime();
    const { until, ...amounts } = step.wait;
    if (until === undefined) {
      const [unit, amount] = Object.entries(amounts)[0] as [WaitUnit, number];
      return new Date(now + amount * UNIT_SECONDS[unit] * 1000);
    }
    const time = parseTime(this.liquid.evaluate(until, await this.scope(held)));
    if (!time) throw AppError.invalid('until is not an RFC 3339 time.');
    if (time.getTime() > now + MAX_WAIT_SECONDS * 1000) {
      throw AppError.invalid('until is more than 366 days away.');
    }
    return time;
  }

  /** What expressions can refer to. A step named `contact` hides the contact of the run. */
  private async scope(held: HeldRun): Promise<object> {
    const { run } = held;
    const contact =
      run.contactId === null ? null : await this.contacts.find(run.organizationId, run.contactId);
    const scope: Record<string, unknown> = { contact: contact && ContactView.of(contact) };
    for (const [id, entry] of held.journal) {
      scope[id] = entry.status === 'failed' ? { error: entry.error } : stepValue(entry.output);
    }
    return {
      ...scope,
      trigger: { type: run.triggerType, payload: held.payload },
      run: { id: run.id },
      workflow: { id: run.workflowId, name: held.workflowName },
    };
  }
}

function withKey(tool: RegisteredTool, given: Record<string, unknown>, key: string): object {
  const takesKey = Object.hasOwn(tool.descriptor.inputSchema.properties, 'idempotency_key');
  const hasKey = given.idempotency_key !== undefined && given.idempotency_key !== null;
  return takesKey && !hasKey ? { ...given, idempotency_key: key } : given;
}
