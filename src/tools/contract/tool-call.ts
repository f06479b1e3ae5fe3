import type { Actor } from '../../accounts/account.js';
import type { RequestOrigin } from '../../accounts/request-origin.js';
import { AppError } from '../../errors/app-error.js';
import type { KeyRestriction } from '../../policies/key-restriction.js';
import type { Answers, InputRequest, InputRequests } from './input-request.js';

/** The origin of a call: an agent with an API key, a step of a run, or a signed-in person. */
export type Surface = 'agent' | 'workflow' | 'dashboard';

export interface Progress {
  /** A number that grows with each report. */
  progress: number;
  /** The value of `progress` at the end, if it is known. */
  total?: number;
  message?: string;
}

/** Collects the work that a call of an external tool postpones until its end. */
export interface CallEnd {
  /** Adds work to the transaction that records the result, so that both are stored or neither is. */
  record(work: () => Promise<void>): void;
  /** Adds an action that runs when the call has ended, with or without an error. */
  release(action: () => void): void;
}

/** The context of a call. Every tool, resource, prompt and completion method gets it as the second argument. */
export interface ToolCall {
  /** The organization of the call. The call may see and change the data of no other organization. */
  readonly organizationId: string;
  readonly surface: Surface;
  readonly actor: Actor;
  /** The origin of the request. Absent in runs. */
  readonly origin?: RequestOrigin;
  /** The signal that aborts when the caller no longer waits. Tools that wait for external systems must stop then. */
  readonly signal: AbortSignal;
  /**
   * The time of `performance.now()` before which the result must come. Tools that wait for something must respect it.
   */
  readonly answerBy?: number;
  /**
   * The work that an external tool postpones until its end. Set for external tools, which have no transaction while
   * they run.
   */
  readonly end?: CallEnd;
  /** The run, if a step made the call. */
  readonly runId?: string;
  /** The path of this step in its run. The path contains the iterations of loops. */
  readonly stepPath?: string;
  /** True if the transaction is rolled back at the end. A tool must then do nothing that a rollback cannot undo. */
  readonly dryRun?: boolean;
  /** The idempotency key of a call that has no argument `idempotency_key`. */
  readonly idempotencyKey?: string;
  /** True if the caller accepts a task in place of a result. */
  readonly takesTasks?: boolean;
  /**
   * The person who must agree before the tool runs. Absent when nobody must. With `when_possible`, a caller that can be
   * asked is asked, and its answer is believed. With `always`, a signed-in person must have approved exactly this call
   * of this key.
   */
  readonly confirmation?: 'when_possible' | 'always';
  /** The restriction of the API key of the call. A tool that lets its caller choose other tools must respect it. */
  readonly restriction?: KeyRestriction;

  /** Sends progress to a caller that wants it. Never throws and never waits. */
  report(progress: Progress): void;

  /** Returns true if this caller can respond to the request. */
  canAsk(request: InputRequest): boolean;

  /**
   * Asks the caller and returns the responses by the names of the requests. While a response is missing, this
   * method throws and the transaction is rolled back. With the responses, the method of the tool runs again from
   * its first line. So ask before any effect outside of the database. Throws `forbidden` if the person declines or
   * the caller cannot be asked.
   */
  ask<Requests extends InputRequests>(requests: Requests): Promise<Answers<Requests>>;
}

/** The caller without input requests and progress: workflows, people, and clients that use MCP before 2026-07-28. */
export const SILENT_CALLER: Pick<ToolCall, 'report' | 'canAsk' | 'ask'> = {
  report: () => undefined,
  canAsk: () => false,
  ask: () => {
    throw new AppError(
      'forbidden',
      'A person must respond first, and this caller cannot be asked. Use a client of MCP 2026-07-28 that supports elicitation.',
    );
  },
};
