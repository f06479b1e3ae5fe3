import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { parseTime } from '../../text/parse-time.js';
import { minJsonLength } from '../../text/json-length.js';
import type { EventWaitStep, WaitStep } from '../definitions/definition.js';
import type { Place } from '../definitions/step-engine.js';
import { canAwaitEvents } from '../definitions/steps/awaiting-steps.js';
import type { Json } from '../definitions/step-fields.js';
import { EVENTS_BINDING, isEventWait } from '../definitions/steps/event-wait-step.js';
import type { ClaimedRun, JournalEntry } from '../journal/claimed-run.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import type { RunTransaction } from '../journal/run-transaction.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { PendingEventsRepository } from '../waits/pending-events.repository.js';
import {
  type NewWait,
  RunWaitsRepository,
  type WaitOutcome,
} from '../waits/run-waits.repository.js';
import { RunScopeService } from './run-scope.service.js';
import { computeWaitEnd, toWaiting } from './wait-times.js';

const MAX_BINDINGS_BYTES = 16 * 1024;
/** The time after which a wait that is over looks again for events that came in time and are not delivered yet. */
const LATE_EVENTS_PAUSE_MS = 1000;

/** Stands for the contact of a run after its deletion. No contact has this id, so no event about a contact matches. */
const DELETED_CONTACT = 'deleted';

/** Begins and ends the waits of runs for events, resume URLs and other runs. */
@Injectable()
export class EventWaitsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly journal: RunJournalRepository,
    private readonly waits: RunWaitsRepository,
    private readonly pending: PendingEventsRepository,
    private readonly scope: RunScopeService,
    private readonly liquid: LiquidSandbox,
  ) {}

  /**
   * Begins the event waits that follow a step, in the transaction of this step. An effect of this step, such as a sent
   * message, can cause the event immediately, and the event must find the wait. A wait that is skipped, or whose
   * expressions fail, is left to its runner.
   */
  async beginReadyWaits(tx: RunTransaction): Promise<void> {
    const { run } = tx;
    for (const place of tx.plan().ready) {
      const { step, path } = place;
      if (!isEventWait(step) || tx.get(path) || run.isRunning(path)) continue;
      // Read the contact of the run again, because the previous step may have changed it.
      Object.assign(run.row, await this.runs.fence(run.lease));
      await this.tryToBegin(tx, { ...place, step });
    }
  }

  /** Stores the wait of a step and returns the entry of the step. When this method throws, it has written nothing. */
  async begin(
    { run }: RunTransaction,
    { step }: Place<EventWaitStep>,
    entry: JournalEntry,
    scope: object,
  ): Promise<JournalEntry> {
    const {
      event,
      events,
      if: condition,
      any_contact: isOfAnyContact,
      timeout,
    } = step.wait_for_event;
    const read = condition === undefined ? null : await this.bind(run, condition, scope);
    const bindings = events ? { ...read, [EVENTS_BINDING]: events } : read;
    const contactId = isOfAnyContact || event === 'resume' ? null : contactOf(run);
    const wait = { event: event ?? 'any', contactId, condition, bindings } as const;
    const output = events ? { events } : { event };
    return await this.arm(run, { ...entry, output }, wait, timeout, scope);
  }

  /**
   * Stores a wait that ends after `timeout` at the latest. Returns the entry of the step, whose output contains the
   * latest end of the wait.
   */
  async arm(
    { lease }: ClaimedRun,
    entry: JournalEntry,
    wait: Omit<NewWait, 'runId' | 'stepId' | 'endsAt'>,
    timeout: WaitStep['wait'],
    scope: object,
  ): Promise<JournalEntry> {
    const { organizationId, id: runId } = lease;
    const now = await this.runs.now(organizationId);
    const given = { organizationId, wait: timeout, scope, now };
    const { at: wakeAt } = await computeWaitEnd(given, this.liquid);
    const { stepId } = entry;
    const state = await this.waits.arm(organizationId, { ...wait, runId, stepId, endsAt: wakeAt });
    const output = { ...entry.output, until: wakeAt.toISOString() };
    const waiting = toWaiting({ ...entry, output }, wakeAt, now);
    // When the resume URL was called before the run reached this step, the step is due now.
    return state === 'delivered' ? { ...waiting, dueAt: performance.now() } : waiting;
  }

  /**
   * Ends a wait if its event was delivered or its time is over, and returns the event, if any. Otherwise returns the
   * entry, which still waits. A wait does not time out while an event that happened before its timeout may still be
   * delivered to it. The lock on the wait decides whether the event or the timeout came first.
   */
  async end(
    { run }: RunTransaction,
    entry: JournalEntry,
  ): Promise<{ waiting: JournalEntry } | { delivered?: WaitOutcome }> {
    const { organizationId, id: runId } = run.lease;
    const outcome = await this.waits.findForUpdate(organizationId, runId, entry.stepId);
    const delivered = outcome?.state === 'delivered' ? outcome : undefined;
    if (!delivered) {
      const now = await this.runs.now(organizationId);
      // The database clock decides whether the wait is over. The clock of this process may be ahead of the database
      // clock.
      if (entry.wakeAt! > now) return { waiting: toWaiting(entry, entry.wakeAt!, now) };
      const until = timeoutOf(entry);
      const wait = { runId, stepId: entry.stepId, until };
      if (await this.pending.mayEnd(organizationId, wait)) {
        // The delivery of the event wakes the run earlier. An event that does not match wakes nobody.
        const output = { ...entry.output, until: until.toISOString() };
        const nextLook = new Date(now.getTime() + LATE_EVENTS_PAUSE_MS);
        return { waiting: toWaiting({ ...entry, output }, nextLook, now) };
      }
    }
    await this.waits.end(organizationId, runId, entry.stepId);
    return { delivered };
  }

  /**
   * Locks the waits of the given steps. When the event of a step has come, makes the step due and returns true.
   * Otherwise an event can come only after this transaction, so the suspended run cannot miss it.
   */
  async wakeDelivered(tx: RunTransaction, waiting: readonly Place[]): Promise<boolean> {
    const { lease, data } = tx.run;
    if (!canAwaitEvents(data.steps)) return false;
    const paths = waiting.map(({ path }) => path);
    const waits = await this.waits.lock(lease.organizationId, lease.id, paths);
    const delivered = waits.filter(({ isDelivered }) => isDelivered);
    for (const { stepId } of delivered) {
      tx.stage({ ...tx.get(stepId)!, dueAt: performance.now() });
    }
    return delivered.length > 0;
  }

  /** Copies the values that a condition reads, so that it can be evaluated for many events without the run. */
  private async bind({ lease }: ClaimedRun, condition: string, scope: object): Promise<Json> {
    const { references } = await this.liquid.readCondition(lease.organizationId, condition);
    return bindingsOf(references, scope);
  }

  private async tryToBegin(tx: RunTransaction, place: Place<EventWaitStep>): Promise<void> {
    try {
      const scope = await this.scope.getScopeIfMet(tx, place, true);
      if (scope) this.journal.record(tx, await this.begin(tx, place, tx.newEntry(place), scope));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
    }
  }
}

/** Returns the contact whose events end the waits of a run, or null when events about any contact end them. */
function contactOf({ row }: ClaimedRun): string | null {
  return row.contactId ?? (row.lostContact ? DELETED_CONTACT : null);
}

/**
 * Returns the time at which a wait times out. While late events delay its end, `wakeAt` is later than this time. When
 * another process has shortened the wait, `wakeAt` is earlier than the time in the output.
 */
function timeoutOf({ output, wakeAt }: JournalEntry): Date {
  const until = parseTime((output as Json | null)?.until);
  return until && until < wakeAt! ? until : wakeAt!;
}

/** Copies the values that a condition refers to. Throws `invalid_arguments` when they are too large. */
function bindingsOf(references: readonly string[], scope: object): Json {
  const bindings: Json = {};
  for (const reference of references) {
    const path = reference.split('.');
    if (path[0] !== 'event') copyValue(bindings, scope as Json, path);
  }
  const isTooLarge =
    minJsonLength(bindings, MAX_BINDINGS_BYTES) > MAX_BINDINGS_BYTES ||
    Buffer.byteLength(JSON.stringify(bindings)) > MAX_BINDINGS_BYTES;
  if (isTooLarge) {
    throw AppError.invalid(
      `The values that "if" refers to are larger than ${MAX_BINDINGS_BYTES} bytes.`,
    );
  }
  return bindings;
}

/**
 * Copies the value at a path. A value that is not an object, such as a list whose `size` is read, is copied as a whole.
 */
function copyValue(target: Json, source: Readonly<Json>, [name, ...rest]: string[]): void {
  if (name === undefined || !Object.hasOwn(source, name)) return;
  const value = source[name];
  const isDeeper = rest.length > 0 && isJsonObject(value) && Object.hasOwn(value, rest[0]!);
  if (!isDeeper) {
    target[name] = value;
    return;
  }
  const known = Object.hasOwn(target, name) ? target[name] : undefined;
  // Another reference has copied the whole value already.
  if (known === value) return;
  const inside = isJsonObject(known) ? known : {};
  target[name] = inside;
  copyValue(inside, value, rest);
}
