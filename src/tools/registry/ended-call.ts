import type { EndedCall } from '../../accounts/call-recorder.js';
import { AppError } from '../../errors/app-error.js';
import { InputRequired, MissingCapability } from '../contract/input-request.js';
import type { ToolCall } from '../contract/tool-call.js';
import { ReportedFailure } from '../contract/reported-failure.js';

/** Returns a call as the logs record it. `failure` is the error that the call threw. */
export function endedCall(
  tool: string,
  given: unknown,
  { organizationId, actor, origin, dryRun, signal }: ToolCall,
  beganAt: number,
  failure?: unknown,
): EndedCall {
  return {
    organizationId,
    actor,
    tool,
    outcome: outcomeOf(failure, signal),
    ...(failure instanceof Error && { error: messageOf(failure) }),
    durationMs: performance.now() - beganAt,
    ...(origin && { origin }),
    given,
    isDryRun: dryRun ?? false,
  };
}

/** Returns true for an unexpected error: one that is not a refusal, a cancellation or an input request. */
export function isBug(failure: unknown, signal: AbortSignal): failure is Error {
  return (
    failure instanceof Error &&
    !(failure instanceof AppError) &&
    outcomeOf(failure, signal) === 'internal'
  );
}

function outcomeOf(failure: unknown, signal: AbortSignal): string {
  if (failure === undefined) return 'ok';
  if (failure instanceof InputRequired || failure instanceof MissingCapability) {
    return 'input_required';
  }
  if (signal.aborted && failure === signal.reason) return 'canceled';
  if (failure instanceof ReportedFailure) return failure.failure.code;
  return failure instanceof AppError ? failure.code : 'internal';
}

/** Returns the error text that the caller gets. The text of an unexpected error may contain internals. */
function messageOf(failure: Error): string | undefined {
  if (failure instanceof AppError && failure.code !== 'internal') return failure.message;
  return failure instanceof ReportedFailure ? failure.failure.message : undefined;
}
