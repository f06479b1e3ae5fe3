import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { SecretBox } from '../database/secret-box.js';
import { type AppError, toError } from '../errors/app-error.js';
import { canonicalJson } from '../text/canonical-json.js';
import type { Actor } from './account.js';
import { oneLine, type RequestOrigin } from './request-origin.js';

const FLUSH_MS = 500;
/**
 * The largest number of rows that one organization adds per second to each log. Calls above the limit are only counted.
 */
const MOST_PER_SECOND = 20;
const MOST_WAITING = 10_000;
const MOST_ERROR_CHARACTERS = 300;
/**
 * The outcomes of calls that were not refused and did not fail. This class adds no entry to the audit log for such
 * calls.
 */
const HARMLESS = new Set(['ok', 'input_required', 'canceled']);
const NAME = /^[a-z][a-z0-9_/]{0,63}$/;

/** A call that has ended, or was refused. */
export interface EndedCall {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly tool: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** The message that the caller got. */
  readonly error?: string;
  readonly durationMs: number;
  readonly origin?: RequestOrigin;
  readonly given?: unknown;
  /** True for a dry run: the call could not change anything. */
  readonly isDryRun?: boolean;
}

/** Something that happened outside of tools, such as a failed sign-in. */
export interface AccountEvent {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly action: string;
  readonly outcome: string;
  readonly origin?: RequestOrigin;
}

/** The numbers of rows that one organization has written in the current second. */
interface Budget {
  calls: number;
  entries: number;
}

/**
 * Writes all calls to the log of calls, and the refused and failed calls also to the audit log. Records are written in
 * batches, twice a second, so that callers never wait. When the process is killed, records that it has not written yet
 * are lost. This class does not write the entry of a change: that entry is committed together with the change.
 */
@Injectable()
export class CallRecorder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(CallRecorder.name);
  private readonly callLogger = new Logger('Call');
  private readonly digestKey: string;
  private budgets = new Map<string, Budget>();
  private secondBeganAt = 0;
  private calls: object[] = [];
  private entries: object[] = [];
  private timer?: NodeJS.Timeout;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    secrets: SecretBox,
  ) {
    this.digestKey = secrets.derive('arguments in the audit log');
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.endSecond();
    await this.flush();
  }

  /**
   * Returns the HMAC-SHA256 of the canonical JSON of arguments. Without the key, nobody can guess the arguments from
   * the HMAC.
   */
  digest(organizationId: string, given: unknown): string {
    const text = `${organizationId} ${canonicalJson(given ?? {})}`;
    return createHmac('sha256', this.digestKey).update(text).digest('hex');
  }

  /**
   * Adds a call to the log of calls. A call that was refused or failed is added to the audit log too. Steps of runs are
   * not in the log of calls, because they have the run journal.
   */
  recordCall(call: EndedCall): void {
    const { organizationId, outcome } = call;
    if (this.env.logsWork) this.logCall(call);
    const budget = this.budgetOf(organizationId);
    budget.calls += 1;
    if (call.actor.kind !== 'run' && budget.calls <= MOST_PER_SECOND) this.addCall(call);
    if (HARMLESS.has(outcome) || call.isDryRun) return;
    budget.entries += 1;
    if (budget.entries <= MOST_PER_SECOND) this.addEntry(call);
  }

  /** Records a call that was refused before it reached a tool. Returns the error, for the caller to throw. */
  refused<Refusal extends AppError>(
    caller: Pick<EndedCall, 'organizationId' | 'actor' | 'origin'>,
    tool: string,
    error: Refusal,
  ): Refusal {
    const { code: outcome, message } = error;
    this.recordCall({ ...caller, tool, outcome, error: message, durationMs: 0 });
    return error;
  }

  /** Adds an entry to the audit log with the next batch, unless the second already has too many entries. */
  recordEvent({ organizationId, actor, action, outcome, origin }: AccountEvent): void {
    const budget = this.budgetOf(organizationId);
    budget.entries += 1;
    if (budget.entries > MOST_PER_SECOND) return;
    this.entries.push(entryOf(organizationId, actor, action, outcome, origin));
  }

  /** Adds an entry to the audit log. Resolves when the entry is stored. */
  async storeEvent({
    organizationId,
    actor,
    action,
    outcome,
    origin,
  }: AccountEvent): Promise<void> {
    const entry = entryOf(organizationId, actor, action, outcome, origin);
    await this.gate.call('record_events', [JSON.stringify([entry]), '[]']);
  }

  /**
   * Writes all records that were added before this call. When the database cannot be reached, it keeps the records for
   * the next attempt.
   */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  private async write(): Promise<void> {
    if (performance.now() - this.secondBeganAt >= 1000) this.endSecond();
    const { calls, entries } = this;
    if (calls.length === 0 && entries.length === 0) return;
    this.calls = [];
    this.entries = [];
    try {
      await this.gate.call('record_events', [JSON.stringify(entries), JSON.stringify(calls)]);
    } catch (error) {
      this.calls = [...calls, ...this.calls].slice(-MOST_WAITING);
      this.entries = [...entries, ...this.entries].slice(-MOST_WAITING);
      this.logger.warn(
        `The log of calls could not be written, and will be retried: ${toError(error).message}`,
      );
    }
  }

  private budgetOf(organizationId: string): Budget {
    if (performance.now() - this.secondBeganAt >= 1000) this.endSecond();
    let budget = this.budgets.get(organizationId);
    if (!budget) {
      budget = { calls: 0, entries: 0 };
      this.budgets.set(organizationId, budget);
    }
    return budget;
  }

  /** Sets the counts of every organization back to zero. Adds a row with the number of calls that were not logged. */
  private endSecond(): void {
    const at = new Date();
    for (const [organizationId, { calls, entries }] of this.budgets) {
      if (calls > MOST_PER_SECOND) {
        this.calls.push({
          organization_id: organizationId,
          at,
          caller_kind: 'system',
          caller_id: 'switchboard',
          tool: null,
          outcome: 'unlogged',
          duration_ms: 0,
          unlogged: calls - MOST_PER_SECOND,
        });
      }
      if (entries > MOST_PER_SECOND) {
        this.entries.push({
          ...entryOf(organizationId, { kind: 'system', id: 'switchboard' }, 'calls', 'unlogged'),
          unlogged: entries - MOST_PER_SECOND,
        });
      }
    }
    this.budgets = new Map();
    this.secondBeganAt = performance.now();
  }

  private logCall({
    organizationId: organization,
    actor,
    tool,
    outcome,
    durationMs,
    origin,
  }: EndedCall): void {
    const line = {
      tool: nameOf(tool),
      outcome,
      ms: Math.round(durationMs * 10) / 10,
      organization,
      [actor.kind]: actor.id,
      request_id: origin?.requestId,
    };
    if (actor.kind === 'run') this.callLogger.debug(line);
    else this.callLogger.log(line);
  }

  private addCall({
    organizationId,
    actor,
    tool,
    outcome,
    error,
    durationMs,
    origin,
  }: EndedCall): void {
    this.calls.push({
      organization_id: organizationId,
      at: new Date(),
      caller_kind: actor.kind,
      caller_id: actor.id,
      tool: nameOf(tool),
      outcome,
      error: error && oneLine(error, MOST_ERROR_CHARACTERS),
      duration_ms: Math.round(durationMs),
      request_id: origin?.requestId,
      client: origin?.client,
    });
  }

  private addEntry({
    organizationId,
    actor,
    tool,
    outcome,
    durationMs,
    origin,
    given,
  }: EndedCall): void {
    this.entries.push({
      ...entryOf(organizationId, actor, nameOf(tool), outcome, origin),
      duration_ms: Math.round(durationMs),
      arguments_digest: given === undefined ? undefined : this.digest(organizationId, given),
    });
  }
}

/** Returns an entry of the audit log, as the function private.write_audit() of the database reads it. */
export function entryOf(
  organizationId: string,
  actor: Actor,
  action: string,
  outcome: string,
  origin?: RequestOrigin,
): object {
  return {
    organization_id: organizationId,
    at: new Date(),
    actor_kind: actor.kind,
    actor_id: actor.id,
    action,
    outcome,
    address: origin?.address,
    request_id: origin?.requestId,
    client: origin?.client,
  };
}

/** Returns the name of the tool, or a placeholder when the text cannot be a name. Such a text may contain data. */
function nameOf(tool: string): string {
  return NAME.test(tool) ? tool : '(not a name)';
}
