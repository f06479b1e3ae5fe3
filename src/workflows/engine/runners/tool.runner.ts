import { Injectable } from '@nestjs/common';
import { Env } from '../../../config/env.js';
import { AppError, toError } from '../../../errors/app-error.js';
import { ShownBug } from '../../../errors/shown-bug.js';
import { Failpoints } from '../../../failpoints/failpoints.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { RegisteredTool } from '../../../tools/registry/registered-tool.js';
import { writeNumbers } from '../../../tools/schema/write-numbers.js';
import type { ToolStep } from '../../definitions/definition.js';
import { renderArguments } from '../../definitions/scope.js';
import type { Place } from '../../definitions/step-engine.js';
import { FAILURE_STEP_ID } from '../../definitions/steps/failure-step.js';
import {
  type ClaimedRun,
  type JournalEntry,
  StepCanceledError,
} from '../../journal/claimed-run.js';
import { LeaseLostError } from '../../journal/run-lease.js';
import type { RunTransaction } from '../../journal/run-transaction.js';
import { LargePayloadsService } from '../../payloads/large-payloads.service.js';
import { payloadPath } from '../../payloads/large-value.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import { StepCallerService } from '../step-caller.service.js';
import { createStepKey } from '../step-key.js';
import type { Sharing, StepRunner } from './step-runners.service.js';

@Injectable()
export class ToolRunner implements StepRunner<ToolStep> {
  readonly kind = 'tool';

  constructor(
    private readonly caller: StepCallerService,
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly liquid: LiquidSandbox,
    private readonly failpoints: Failpoints,
    private readonly env: Env,
    private readonly payloads: LargePayloadsService,
  ) {}

  getSharing({ tool: name }: ToolStep): Sharing {
    const tool = this.caller.find(name);
    if (tool?.external) return 'alone';
    return tool?.readOnly ? 'reads' : 'changes';
  }

  async run(attempt: StepAttempt<ToolStep>): Promise<Progress> {
    const { run, place, shared } = attempt;
    const journal = shared ?? run;
    const entry = journal.newEntry(place, place.step.tool);
    entry.attempts = (journal.get(place.path)?.attempts ?? 0) + 1;
    const tool = this.caller.find(place.step.tool);
    try {
      return await (tool?.external
        ? this.callOutside(attempt, tool, entry)
        : this.callInside(attempt, tool, entry));
    } catch (error) {
      if (error instanceof StepCanceledError) throw error;
      if (error instanceof LeaseLostError || run.signal.aborted) throw new LeaseLostError();
      const isShown = this.env.showsBugs && !(error instanceof AppError);
      return await this.progress.fail(
        attempt,
        entry,
        isShown ? new ShownBug(toError(error)) : error,
      );
    }
  }

  private async callInside(
    attempt: StepAttempt<ToolStep>,
    tool: RegisteredTool | undefined,
    entry: JournalEntry,
  ): Promise<Progress> {
    const { run, place, shared } = attempt;
    const { step } = place;
    if (!shared) await this.failpoints.reach('before step transaction', run.lease.id);
    return await this.progress.transaction(attempt, async (tx) => {
      const input = await this.renderInput(tx, place, tool);
      if (!input) return await this.progress.complete(tx, { ...entry, status: 'skipped' });
      entry.input = input;
      if (!tool) throw AppError.invalid(`The tool ${step.tool} no longer exists.`);
      const output = await this.caller.call(attempt, tool, input);
      return await this.progress.complete(tx, { ...entry, status: 'succeeded', output });
    });
  }

  /**
   * Calls an external tool without a transaction during the call. One transaction records the input before the call,
   * and another records the result after it. When the worker dies between these two transactions, the call is repeated
   * with the recorded input, which contains the idempotency key.
   */
  private async callOutside(
    attempt: StepAttempt<ToolStep>,
    tool: RegisteredTool,
    entry: JournalEntry,
  ): Promise<Progress> {
    const { run, place } = attempt;
    const { path } = place;
    const skipped = await this.progress.transaction(attempt, async (tx) => {
      // A repeated call with the same key must have the same input, even if the contact has changed since.
      const earlier = run.get(path)?.input as Record<string, unknown> | null | undefined;
      const input = earlier ?? (await this.renderInput(tx, place, tool));
      if (!input) return await this.progress.complete(tx, { ...entry, status: 'skipped' });
      entry.input = withIdempotencyKey(tool, input, run, path);
      this.progress.record(tx, entry);
      return undefined;
    });
    if (skipped) return skipped;
    const output = await this.caller.call(attempt, tool, entry.input ?? {});
    return await this.progress.transaction(attempt, (tx) =>
      this.progress.complete(tx, { ...entry, status: 'succeeded', output }),
    );
  }

  private async renderInput(
    tx: RunTransaction,
    place: Place<ToolStep>,
    tool: RegisteredTool | undefined,
  ): Promise<Record<string, unknown> | undefined> {
    const scope = await this.scope.getScopeIfMet(tx, place);
    if (!scope) return undefined;
    const { organizationId } = tx.run.lease;
    const given = this.withPayloadFile(tx.run, place.step);
    const input = await renderArguments(organizationId, given, scope, this.liquid);
    if (!tool) return input;
    return writeNumbers(tool.descriptor.inputSchema, input) as Record<string, unknown>;
  }

  /**
   * Returns the arguments of a step. An HTTP request whose JSON is the large payload sends the file of the payload
   * instead.
   */
  private withPayloadFile({ lease, data }: ClaimedRun, step: ToolStep): Record<string, unknown> {
    const { tool, arguments: given = {} } = step;
    if (!data.isLarge || tool !== 'http_request') return given;
    const { json, ...others } = given;
    if (payloadPath(json)?.length !== 0) return given;
    return { ...others, file: this.payloads.fileIdOf(lease.id) };
  }
}

/** Adds the idempotency key, unless the tool takes no key or the arguments of the step have a key. */
function withIdempotencyKey(
  tool: RegisteredTool,
  input: Record<string, unknown>,
  run: ClaimedRun,
  path: string,
): object {
  const takesKey = Object.hasOwn(tool.descriptor.inputSchema.properties, 'idempotency_key');
  const hasKey = input.idempotency_key !== undefined && input.idempotency_key !== null;
  if (!takesKey || hasKey) return input;
  const request = tool.requestOf ? tool.requestOf(input) : input;
  // A run that fails again after a retry has another failure, so its steps of on_failure get other keys.
  const failure = run.get(FAILURE_STEP_ID)?.output;
  const identity = failure ? { request, failure } : request;
  return { ...input, idempotency_key: createStepKey(run.lease.id, path, identity) };
}
