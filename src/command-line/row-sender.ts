import { RefusedAnswer } from './refused-answer.js';
import type { Retries } from './retries.js';
import type { CallRow } from './rows.js';
import type { ServiceClient } from './service-client.js';
import { type Outcome, sendCalls } from './tool-calls.js';

/**
 * The status with which the service, or a proxy in front of it, refuses a batch as a whole. A smaller batch may be
 * accepted.
 */
const TOO_LARGE = 413;
const INVALID = 400;
const TOO_MANY = 429;
/**
 * The number of times that a batch is sent again after the status 429. Without this limit, a batch that is larger
 * than the whole rate limit would be sent forever.
 */
const MAX_REFUSALS_OF_BATCH = 3;
/** The number of times that a row is sent again when the service answers that it cannot carry out this row now. */
const MAX_REPETITIONS_OF_ROW = 4;

export interface RowCalls {
  readonly tool: string;
  /** The beginning of the idempotency key of each row. The number of the row follows. */
  readonly keyPrefix: string;
  readonly isDryRun: boolean;
}

/** Calls a tool once for each row, however often a request has to be repeated. */
export class RowSender {
  constructor(
    private readonly client: ServiceClient,
    private readonly retries: Retries,
    private readonly calls: RowCalls,
  ) {}

  /** Returns the outcome of each row by its number. Throws a `CommandError` when the service cannot be used. */
  async send(rows: readonly CallRow[]): Promise<Map<number, Outcome>> {
    const outcomes = new Map<number, Outcome>();
    let pending = rows;
    for (let repetition = 0; pending.length > 0; repetition += 1) {
      if (repetition > 0) await this.retries.waitForService(repetition);
      for (const [number, outcome] of await this.sendDivided(pending)) {
        outcomes.set(number, outcome);
      }
      if (repetition === MAX_REPETITIONS_OF_ROW) break;
      pending = pending.filter(({ number }) => isUnavailable(outcomes.get(number)));
    }
    return outcomes;
  }

  /**
   * Sends the rows as one batch. When a batch is refused as a whole, divides it and sends the parts, until the refused
   * row is the only row of its batch.
   */
  private async sendDivided(rows: readonly CallRow[]): Promise<Map<number, Outcome>> {
    const maxRefusals = rows.length > 1 ? MAX_REFUSALS_OF_BATCH : Infinity;
    try {
      return await this.retries.run(() => this.sendBatch(rows), maxRefusals);
    } catch (thrown) {
      if (!isAboutContent(thrown)) throw thrown;
      if (rows.length === 1) return new Map([[rows[0]!.number, rejection(thrown)]]);
      const half = Math.ceil(rows.length / 2);
      const first = await this.sendDivided(rows.slice(0, half));
      return new Map([...first, ...(await this.sendDivided(rows.slice(half)))]);
    }
  }

  private sendBatch(rows: readonly CallRow[]): Promise<Map<number, Outcome>> {
    const { tool, keyPrefix, isDryRun } = this.calls;
    const calls = rows.map(({ number, json }) => {
      return { id: number, tool, json, idempotencyKey: `${keyPrefix}:${number}`, isDryRun };
    });
    return sendCalls(this.client, calls);
  }
}

function isAboutContent(thrown: unknown): thrown is RefusedAnswer {
  if (!(thrown instanceof RefusedAnswer)) return false;
  const { status, code } = thrown;
  return status === TOO_LARGE || status === TOO_MANY || (status === INVALID && code !== undefined);
}

function rejection({ status, code, message }: RefusedAnswer): Outcome {
  if (status === TOO_LARGE) {
    const message = 'The row is too large for a request. Send a smaller row.';
    return { error: { code: 'payload_too_large', message } };
  }
  return { error: { code: code ?? 'internal', message } };
}

function isUnavailable(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && 'error' in outcome && outcome.error.code === 'unavailable';
}
