import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ContactView } from '../contacts/contact-view.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { TenantDatabase } from '../database/tenant-database.js';
import { AppError, type AppErrorCode, toError } from '../errors/app-error.js';
import { parseJson } from '../http/parse-json.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { LEASE_SECONDS } from '../queue/leased-worker.js';
import { WakeUps } from '../queue/wake-ups.js';
import type { RegisteredTool } from '../tools/registered-tool.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { branchOf } from './branch-of.js';
import {
  type BranchStep,
  MAX_WAIT_SECONDS,
  parseTime,
  type Step,
  type ToolStep,
  UNIT_SECONDS,
  type WaitStep,
  type WaitUnit,
} from './definition.js';
import { LeaseLost } from './lease-lost.js';
import { type JournalEntry, RunJournalRepository } from './run-journal.repository.js';
import type { StepError } from './run-step.entity.js';
import type { Run } from './run.entity.js';
import { type RunLease, RunsRepository } from './runs.repository.js';
import { renderArguments, stepValue } from './scope.js';
import { nextAction } from './step-engine.js';
import { WorkflowsRepository } from './workflows.repository.js';

// Below the 30 s after which the database ends a transaction that does nothing.
const INTERNAL_TIMEOUT_MS = 25_000;
const EXTERNAL_TIMEOUT_MS = 60_000;
const DEFAULT_ATTEMPTS = 3;
const BACK_OFF_BASE = 5;
const LONGEST_BACK_OFF_SECONDS = 125;
/** Failures that may be gone the next time; everything else fails the step at once. */
const TRANSIENT: readonly AppErrorCode[] = ['unavailable', 'rate_limited', 'internal'];

type Entry = JournalEntry & { due?: boolean };

/** A run in the hands of this worker. */
interface HeldRun {
  readonly lease: RunLease;
  readonly signal: AbortSignal;
  readonly run: Run;
  readonly workflowName: string;
  readonly payload: unknown;
  readonly steps: readonly Step[];
  readonly journal: Map<string, Entry>;
}

/** Whether the run goes on at once in this worker. */
type Progress = 'on' | 'over';

/**
 * Carries a run on from where its journal ends. What a step does to the data of the organization, its row in the
 * journal and the check of the lease commit together, so each such step happens exactly once.
 */
@Injectable()
export class RunExecutor {
  private readonly logger = new Logger(RunExecutor.name);

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly journal: RunJournalRepository,
    private readonly contacts: ContactsService,
    private readonly registry: ToolRegistry,
    private readonly liquid: LiquidSandbox,
    private readonly wakeUps: WakeUps,
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
        const steps = await this.workflows.getSteps(
          organizationId,
          run.workflowId,
          run.workflowVersion,
        );
        const entries = await this.journal.read(organizationId, id);
        return {
          lease,
          signal,
          run,
          steps,
          workflowName: await this.workflows.getName(organizationId, run.workflowId),
          payload: parseJson(await this.runs.getPayload(organizationId, id)),
          journal: new Map(entries.map((entry) => [entry.stepId, entry])),
        };
      },
      { readOnly: true },
    );
  }

  private async advance(held: HeldRun): Promise<Progress> {
    const action = this.next(held);
    switch (action.kind) {
      case 'call':
        return await this.attempt(held, action.step);
      case 'branch':
        return await this.choose(held, action.step);
      case 'wait':
        return await this.wait(held, action.step);
      case 'sleep':
        return await this.sleep(held, held.journal.get(action.step.id)!);
      case 'wake': {
        const entry = held.journal.get(action.step.id)!;
        return await this.fenced(held, () => this.done(held, { ...entry, status: 'succeeded' }));
      }
      case 'fail':
      case 'finish':
        return await this.fenced(held, () => this.goOn(held));
    }
  }

  private next(held: HeldRun) {
    const states = [...held.journal].map(
      ([id, entry]) =>
        [id, { status: entry.status, due: entry.due, branch: branchOf(entry.output) }] as const,
    );
    return nextAction(held.steps, new Map(states));
  }

  /** Tries a tool step once and writes down what became of it. */
  private async attempt(held: HeldRun, step: ToolStep): Promise<Progress> {
    const entry: Entry = {
      ...this.entry(held, step, step.tool),
      attempts: (held.journal.get(step.id)?.attempts ?? 0) + 1,
    };
    try {
      return await this.call(held, step, entry);
    } catch (error) {
      if (error instanceof LeaseLost || held.signal.aborted) throw new LeaseLost();
      return await this.failed(held, step, entry, error);
    }
  }

  private async call(held: HeldRun, step: ToolStep, entry: Entry): Promise<Progress> {
    const tool = this.registry.find(step.tool, 'workflow');
    if (tool?.external) return await this.callOutside(held, step, tool, entry);
    return await this.fenced(held, async () => {
      const scope = await this.scope(held);
      if (!this.isWanted(step, scope))
        return await this.done(held, { ...entry, status: 'skipped' });
      entry.input = renderArguments(step.arguments ?? {}, scope, this.liquid);
      if (!tool) throw AppError.invalid(`There is no tool called ${step.tool} any more.`);
      const output = await this.invoke(held, tool, entry.input, INTERNAL_TIMEOUT_MS);
      return await this.done(held, { ...entry, status: 'succeeded', output });
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
    entry: Entry,
  ): Promise<Progress> {
    const { organizationId, id } = held.lease;
    const skipped = await this.fenced(held, async () => {
      const scope = await this.scope(held);
      if (!this.isWanted(step, scope))
        return await this.done(held, { ...entry, status: 'skipped' });
      entry.input = this.withKey(
        tool,
        renderArguments(step.arguments ?? {}, scope, this.liquid),
        `${id}:${step.id}`,
      );
      entry.status = 'running';
      await this.journal.record(organizationId, id, entry);
      return undefined;
    });
    if (skipped) return skipped;
    held.journal.set(step.id, entry);
    const output = await this.invoke(held, tool, entry.input ?? {}, EXTERNAL_TIMEOUT_MS);
    return await this.fenced(held, () =>
      this.done(held, { ...entry, status: 'succeeded', output }),
    );
  }

  private withKey(tool: RegisteredTool, given: Record<string, unknown>, key: string): object {
    const takesKey = Object.hasOwn(tool.descriptor.inputSchema.properties, 'idempotency_key');
    return takesKey && given.idempotency_key === undefined
      ? { ...given, idempotency_key: key }
      : given;
  }

  private isWanted(step: ToolStep, scope: object): boolean {
    return step.if === undefined || this.liquid.test(step.if, scope);
  }

  /** Calls the tool, but not longer than `timeoutMs`, and not longer than the lease is held. */
  private async invoke(
    held: HeldRun,
    tool: RegisteredTool,
    input: object,
    timeoutMs: number,
  ): Promise<object> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([held.signal, timeout]);
    const { organizationId, id } = held.lease;
    const aborted = new Promise<never>((_resolve, reject) => {
      const stop = () =>
        reject(
          held.signal.aborted
            ? new LeaseLost()
            : new AppError('unavailable', `The tool did not answer within ${timeoutMs / 1000} s.`),
        );
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
    const call = this.registry.call(tool, input, {
      organizationId,
      surface: 'workflow',
      actor: { kind: 'run', id },
      runId: id,
      signal,
    });
    return await Promise.race([call, aborted]);
  }

  /** Writes down a failed attempt: the step is tried again later, or the run goes on without it, or ends. */
  private async failed(held: HeldRun, step: Step, entry: Entry, error: unknown): Promise<Progress> {
    const failure = this.describe(error, held, step);
    const policy = 'tool' in step ? (step.retry?.max_attempts ?? DEFAULT_ATTEMPTS) : 1;
    const again = TRANSIENT.includes(failure.code as AppErrorCode) && entry.attempts < policy;
    return await this.fenced(held, async () => {
      if (!again) {
        return await this.done(held, { ...entry, status: 'failed', output: null, error: failure });
      }
      const seconds = Math.max(
        Math.min(BACK_OFF_BASE ** (entry.attempts - 1), LONGEST_BACK_OFF_SECONDS),
        error instanceof AppError ? (error.retryAfterSeconds ?? 0) : 0,
      );
      const { organizationId, id } = held.lease;
      await this.journal.record(organizationId, id, {
        ...entry,
        status: 'waiting',
        error: failure,
      });
      await this.runs.park(held.lease, 'retry', seconds);
      this.wakeAt(id, new Date(Date.now() + seconds * 1000));
      return 'over';
    });
  }

  private describe(error: unknown, held: HeldRun, step: Step): StepError {
    if (error instanceof AppError && error.code !== 'internal') {
      const { code, message, details } = error;
      return { code, message, ...(details && { details }) };
    }
    // The message of an unknown error may say anything; the log and the run share an id instead.
    const errorId = randomUUID();
    this.logger.error(
      { error_id: errorId, run: held.lease.id, step: step.id },
      toError(error).stack,
    );
    return { code: 'internal', message: `Internal error ${errorId}.` };
  }

  private async choose(held: HeldRun, step: BranchStep): Promise<Progress> {
    const entry = this.entry(held, step, null);
    try {
      return await this.fenced(held, async () => {
        const branch = this.liquid.test(step.if, await this.scope(held)) ? 'then' : 'else';
        return await this.done(held, { ...entry, status: 'succeeded', output: { branch } });
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
      return await this.failed(held, step, entry, error);
    }
  }

  private async wait(held: HeldRun, step: WaitStep): Promise<Progress> {
    const entry = this.entry(held, step, null);
    try {
      return await this.fenced(held, async () => {
        const wakeAt = await this.wakeTime(held, step);
        const waiting: Entry = {
          ...entry,
          status: 'waiting',
          wakeAt,
          output: { until: wakeAt.toISOString() },
        };
        await this.journal.record(held.lease.organizationId, held.lease.id, waiting);
        return await this.sleep(held, waiting);
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
      return await this.failed(held, step, entry, error);
    }
  }

  private async wakeTime(held: HeldRun, step: WaitStep): Promise<Date> {
    const now = await this.runs.now(held.lease.organizationId);
    const latest = now.getTime() + MAX_WAIT_SECONDS * 1000;
    const { until, ...amounts } = step.wait;
    if (until === undefined) {
      const [unit, amount] = Object.entries(amounts)[0] as [WaitUnit, number];
      return new Date(now.getTime() + amount * UNIT_SECONDS[unit] * 1000);
    }
    const time = parseTime(this.liquid.evaluate(until, await this.scope(held)));
    if (!time) throw AppError.invalid('until is not an RFC 3339 time.');
    if (time.getTime() > latest) throw AppError.invalid('until is more than 366 days away.');
    return time;
  }

  private async sleep(held: HeldRun, entry: Entry): Promise<Progress> {
    return await this.fenced(held, async () => {
      const at = entry.wakeAt!;
      await this.runs.parkUntil(held.lease, at);
      this.wakeAt(held.lease.id, at);
      return 'over';
    });
  }

  /** Writes the final entry of a step and, in the same transaction, the end of the run if it was the last. */
  private async done(held: HeldRun, entry: Entry): Promise<Progress> {
    await this.journal.record(held.lease.organizationId, held.lease.id, entry);
    held.journal.set(entry.stepId, entry);
    return await this.goOn(held);
  }

  private async goOn(held: HeldRun): Promise<Progress> {
    const action = this.next(held);
    if (action.kind === 'finish') {
      await this.runs.finish(held.lease, 'succeeded', null);
      return 'over';
    }
    if (action.kind === 'fail') {
      await this.runs.finish(held.lease, 'failed', `step_failed:${action.step.id}`);
      return 'over';
    }
    await this.runs.progress(held.lease, LEASE_SECONDS);
    return 'on';
  }

  /** A transaction in which this worker surely holds the run, until it commits. */
  private async fenced<T>(held: HeldRun, work: () => Promise<T>): Promise<T> {
    const before = new Map(held.journal);
    try {
      return await this.tenants.transaction(held.lease.organizationId, async () => {
        await this.runs.fence(held.lease);
        return await work();
      });
    } catch (error) {
      // What was not committed did not happen: memory must not run ahead of the database.
      held.journal.clear();
      for (const [id, entry] of before) held.journal.set(id, entry);
      throw error;
    }
  }

  /** What expressions can refer to. A step named `contact` hides the contact of the run. */
  private async scope(held: HeldRun): Promise<object> {
    const { run, lease } = held;
    const contact =
      run.contactId === null ? null : await this.contacts.find(lease.organizationId, run.contactId);
    const scope: Record<string, unknown> = { contact };
    for (const [id, entry] of held.journal) {
      scope[id] = entry.status === 'failed' ? { error: entry.error } : stepValue(entry.output);
    }
    scope.trigger = { type: run.triggerType, payload: held.payload };
    scope.run = { id: run.id };
    scope.workflow = { id: run.workflowId, name: held.workflowName };
    return scope;
  }

  private entry(held: HeldRun, step: Step, tool: string | null): Entry {
    return {
      stepId: step.id,
      // The journal is only ever added to, so its size is the number of steps before this one.
      position: held.journal.get(step.id)?.position ?? held.journal.size + 1,
      tool,
      status: 'running',
      attempts: 1,
      input: null,
      output: null,
      error: null,
      wakeAt: null,
    };
  }

  private wakeAt(runId: string, at: Date): void {
    this.tenants.afterCommit(() => this.wakeUps.wake('run', runId, at));
  }
}
