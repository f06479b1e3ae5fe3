import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { DomainEvents } from '../../events/domain-events.js';
import { ToolPolicies } from '../../policies/tool-policies.js';
import { SILENT_CALLER, type ToolCall } from '../../tools/contract/tool-call.js';
import type { RegisteredTool } from '../../tools/registry/registered-tool.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { MAX_VALUE_BYTES } from '../../text/value-size.js';
import type { ToolStep } from '../definitions/definition.js';
import type { ClaimedRun } from '../journal/claimed-run.js';
import type { StepAttempt } from './run-progress.service.js';
import { toolTimeoutOf } from './step-timeout.js';

@Injectable()
export class StepCallerService {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly events: DomainEvents,
  ) {}

  /** Finds a tool, even a hidden one. New definitions cannot use a hidden tool, but saved definitions keep working. */
  find(name: string): RegisteredTool | undefined {
    return this.registry.find(name, 'workflow', ToolPolicies.NONE);
  }

  /**
   * Calls the tool. Rejects with `unavailable` after the timeout, with `LeaseLostError` when the lease is lost, and
   * with `StepCanceledError` when a race cancels the step. In each of these cases, the call is also aborted.
   */
  async call(
    { run, place }: StepAttempt<ToolStep>,
    tool: RegisteredTool,
    input: object,
  ): Promise<object> {
    const requested = place.step.timeout;
    const seconds = toolTimeoutOf(tool.external, requested);
    const ended = new AbortController();
    const timer = setTimeout(() => {
      ended.abort(new AppError('unavailable', `The tool did not answer within ${seconds} s.`));
    }, seconds * 1000);
    const stopped = run.signalOf(place.path);
    const stop = (): void => ended.abort(stopped.reason);
    stopped.addEventListener('abort', stop);
    if (stopped.aborted) stop();
    try {
      return await Promise.race([
        this.start(run, place.path, tool, input, {
          signal: ended.signal,
          // A tool that waits for another system has its own time limit, unless the step has a timeout.
          ...(tool.external &&
            requested !== undefined && { answerBy: performance.now() + seconds * 1000 }),
        }),
        rejection(ended.signal),
      ]);
    } finally {
      clearTimeout(timer);
      stopped.removeEventListener('abort', stop);
    }
  }

  private async start(
    run: ClaimedRun,
    stepPath: string,
    tool: RegisteredTool,
    input: object,
    limits: Pick<ToolCall, 'signal' | 'answerBy'>,
  ): Promise<object> {
    limits.signal.throwIfAborted();
    const { organizationId, id } = run.lease;
    const call: ToolCall = {
      ...SILENT_CALLER,
      organizationId,
      surface: 'workflow',
      actor: { kind: 'run', id },
      runId: id,
      stepPath,
      ...limits,
    };
    const output = await this.events.runAsCause(id, () => this.registry.call(tool, input, call));
    // Without a limit, steps that read their own run (get_run) would double the journal with each step.
    if (Buffer.byteLength(JSON.stringify(output)) > MAX_VALUE_BYTES) {
      throw AppError.invalid(`The result of the step is larger than ${MAX_VALUE_BYTES} bytes.`);
    }
    return output;
  }
}

async function rejection(signal: AbortSignal): Promise<never> {
  return await new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
