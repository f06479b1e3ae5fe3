import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { DomainEvents } from '../../events/domain-events.js';
import { ToolPolicies } from '../../policies/tool-policies.js';
import { SILENT_CALLER, type ToolCall } from '../../tools/contract/tool-call.js';
import type { RegisteredTool } from '../../tools/registry/registered-tool.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { MAX_INTERNAL_TIMEOUT_SECONDS } from '../definitions/step-options.js';
import type { HeldRun } from '../journal/claimed-run.js';
import { LeaseLost } from '../journal/lease-lost.js';

const DEFAULT_EXTERNAL_TIMEOUT_SECONDS = 60;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Calls tools for the steps of runs. */
@Injectable()
export class StepCaller {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly events: DomainEvents,
  ) {}

  /**
   * The tool of a step, hidden for the organization or not: a definition that names a hidden tool is refused when it is
   * saved, and one that was saved before goes on working.
   */
  find(name: string): RegisteredTool | undefined {
    return this.registry.find(name, 'workflow', ToolPolicies.NONE);
  }

  /** Calls the tool, but waits no longer than its time-out, and no longer than the run is held. */
  async call(held: HeldRun, tool: RegisteredTool, input: object, wanted?: number): Promise<object> {
    const seconds = timeoutOf(tool, wanted);
    const ended = new AbortController();
    const timer = setTimeout(() => {
      ended.abort(new AppError('unavailable', `The tool did not answer within ${seconds} s.`));
    }, seconds * 1000);
    const lost = (): void => ended.abort(new LeaseLost());
    held.signal.addEventListener('abort', lost);
    if (held.signal.aborted) lost();
    try {
      return await Promise.race([
        this.start(held, tool, input, ended.signal),
        rejection(ended.signal),
      ]);
    } finally {
      clearTimeout(timer);
      held.signal.removeEventListener('abort', lost);
    }
  }

  private async start(
    held: HeldRun,
    tool: RegisteredTool,
    input: object,
    signal: AbortSignal,
  ): Promise<object> {
    signal.throwIfAborted();
    const { organizationId, id } = held.lease;
    const call: ToolCall = {
      ...SILENT_CALLER,
      organizationId,
      surface: 'workflow',
      actor: { kind: 'run', id },
      runId: id,
      signal,
    };
    const output = await this.events.causedBy(id, () => this.registry.call(tool, input, call));
    // A step that reads its own run (get_run) would otherwise double the journal with every step.
    if (Buffer.byteLength(JSON.stringify(output)) > MAX_OUTPUT_BYTES) {
      throw AppError.invalid(`The result of the step is larger than ${MAX_OUTPUT_BYTES} bytes.`);
    }
    return output;
  }
}

function timeoutOf(tool: RegisteredTool, wanted: number | undefined): number {
  if (tool.external) return wanted ?? DEFAULT_EXTERNAL_TIMEOUT_SECONDS;
  // Also when the tool talked to the outside at the time the definition was saved.
  return Math.min(wanted ?? MAX_INTERNAL_TIMEOUT_SECONDS, MAX_INTERNAL_TIMEOUT_SECONDS);
}

async function rejection(signal: AbortSignal): Promise<never> {
  return await new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
