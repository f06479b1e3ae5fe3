import type { Actor } from '../../accounts/account.js';
import { AppError } from '../../errors/app-error.js';
import type { Answers, InputRequest, InputRequests } from './input-request.js';

/** Where a call comes from: an agent with an API key, a step of a run, or a signed-in person. */
export type Surface = 'agent' | 'workflow' | 'dashboard';

/** How far a call has come. */
export interface Progress {
  /** Grows with each report. */
  progress: number;
  /** What `progress` will be at the end, if that is known. */
  total?: number;
  message?: string;
}

/** Who calls, for whom, and until when. The second argument of every method that answers callers. */
export interface ToolCall {
  /** The organization that owns everything this call may see or change. */
  readonly organizationId: string;
  readonly surface: Surface;
  readonly actor: Actor;
  /** Aborted when nobody waits for the result any more; tools that wait for the outside must honour it. */
  readonly signal: AbortSignal;
  /** By `performance.now()`, when the caller wants its answer at the latest; for tools that wait on its behalf. */
  readonly answerBy?: number;
  /** The run whose step this call is, if it is one. */
  readonly runId?: string;
  /** All that is written to the database is undone, so a tool must not do what a rollback cannot undo. */
  readonly dryRun?: boolean;
  /** Makes the call happen once where its arguments name no `idempotency_key`. */
  readonly idempotencyKey?: string;
  /** Whether the caller can be given a task in place of a result. */
  readonly takesTasks?: boolean;
  /**
   * Whether a person must agree before the tool runs: `when_possible` lets callers through that nobody can ask,
   * `always` refuses them.
   */
  readonly confirmation?: 'when_possible' | 'always';

  /** Tells the caller how far the call has come, if it wants to know. Never fails, and never waits. */
  report(progress: Progress): void;

  /** Whether `ask` with this request can be answered by this caller. */
  canAsk(request: InputRequest): boolean;

  /**
   * Asks the caller, or the person before it, and returns the answers by the names of the requests. While one is
   * missing it throws, the transaction is rolled back, and the method runs anew, from its first line, when the answers
   * have come. So ask before anything outside is done. Throws `forbidden` when the person declines, or when the caller
   * cannot be asked.
   */
  ask<Requests extends InputRequests>(requests: Requests): Promise<Answers<Requests>>;
}

/** For callers that can neither be asked nor be told of progress: workflows, people, and clients of before MCP 2026-07-28. */
export const SILENT_CALLER: Pick<ToolCall, 'report' | 'canAsk' | 'ask'> = {
  report: () => undefined,
  canAsk: () => false,
  ask: () => {
    throw new AppError(
      'forbidden',
      'A person must answer a question first, and this caller cannot be asked: use a client of MCP 2026-07-28 that supports elicitation.',
    );
  },
};
