import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { LEASE_SECONDS } from '../../queue/leased-work.js';
import { type ReservedSlot, WakeUps } from '../../queue/wake-ups.js';
import { newId } from '../../text/ids.js';
import type { TriggerRequest } from '../definitions/trigger-request.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import type { InsertedRun, NewRun } from '../journal/run-insert.js';
import { RunsRepository } from '../journal/runs.repository.js';
import type { LargePayload } from '../payloads/large-value.js';
import { type Ancestry, findAncestry, loopFault, NO_ANCESTRY } from './run-chain.js';
import { RunLimitsService } from './run-limits.service.js';

export type RunRefusal = 'filter_failed' | 'loop' | 'rate_limited';

export interface RunStart {
  workflowId: string;
  triggerType: RunTriggerType;
  /** A JSON object in the bytes that were received. */
  payload: Buffer;
  /** The large payload of which `payload` is an outline. The caller stores its bytes in the same transaction. */
  largePayload?: LargePayload;
  /** The part of the HTTP request that expressions read. */
  request?: TriggerRequest;
  /** The SHA-256 of the payload. When absent, it is computed. */
  bodyHash?: Buffer;
  contactId: string | null;
  /** The lowercase e-mail address by which the contact is looked up when `contactId` finds none. */
  contactEmail?: string | null;
  /** The dedupe key. A second start of the workflow with the same key starts no run. */
  dedupeKey: string | null;
  /** The run whose step starts the new run, or the run that caused the event. */
  parentRunId?: string;
  /** The reason for which the run is stored as failed, so that its owner can see and retry it. */
  refusal?: RunRefusal;
  /** The revision that the row of the workflow must have. Otherwise no run is started. */
  revision?: string;
}

export interface RunStarted {
  runId: string;
  /** True when an earlier start with the same key or the same body created the run. */
  duplicate: boolean;
}

/**
 * Stores new runs, for every kind of trigger, and wakes workers. A start with a key that was used before is a duplicate
 * and stores no run (`INSERT` in `journal/run-insert.ts`).
 */
@Injectable()
export class RunStartsService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly runs: RunsRepository,
    private readonly limits: RunLimitsService,
    private readonly wakeUps: WakeUps,
    private readonly limiter: RateLimiter,
    private readonly changes: ChangeFeed,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Starts a run in the open transaction, or in a new one if none is open, and returns its id. For a repeated key,
   * returns the id of the earlier run. Throws `idempotency_mismatch` for a key with another payload, and `not_found`
   * for a deleted or inactive workflow.
   */
  async start(organizationId: string, start: RunStart): Promise<RunStarted> {
    return await this.tenants.transaction(organizationId, async () => {
      const ancestry = await findAncestry(this.runs, organizationId, start.parentRunId);
      const refusal = start.refusal ?? this.refusalOf(organizationId, start, ancestry);
      const run = newRun(start, ancestry, refusal);
      // All refused runs with the same first run have this key. So an endless loop stores only one of them per
      // workflow.
      if (ancestry.isFull) run.dedupeKey = `followers ${ancestry.rootRunId}`;
      const inserted = (await this.runs.insert(organizationId, [run])).get(run.id);
      if (!inserted) {
        const earlier = await this.findDuplicateByKey(organizationId, run, ancestry);
        if (!earlier) throw AppError.notFound('workflow');
        return earlier;
      }
      if (inserted.limits) await this.delay(organizationId, run, inserted);
      this.notifyAfterCommit(organizationId, run, inserted);
      await this.failpoints.reach('after insert, before commit', run.id);
      return { runId: run.id, duplicate: false };
    });
  }

  /**
   * Starts runs without a parent by one statement. The statement commits by itself, unless the workflows have limits.
   * Then the runs are delayed before the commit. Returns the ids in the order of `starts`. An id is undefined when the
   * key is not new, the revision has changed, or the workflow unexpectedly has limits. Throws `unavailable` when the
   * connection broke and it is unknown which runs were stored.
   */
  async startBatch(
    organizationId: string,
    starts: readonly RunStart[],
    isLimited: boolean,
  ): Promise<(string | undefined)[]> {
    const runs = starts.map((start) => newRun(start, NO_ANCESTRY, start.refusal ?? null));
    const slots = this.reserveSlots(organizationId, isLimited ? [] : runs);
    const store = async (): Promise<(string | undefined)[]> => {
      const inserted = await this.runs.insert(organizationId, runs, { onlyUnlimited: !isLimited });
      for (const run of runs) {
        const found = inserted.get(run.id);
        if (!found) continue;
        if (found.limits) await this.delay(organizationId, run, found);
        this.notifyAfterCommit(organizationId, run, found, slots);
      }
      if (isLimited) {
        const ids = [...inserted.keys()];
        await Promise.all(
          ids.map((id) => this.failpoints.reach('after insert, before commit', id)),
        );
      }
      return runs.map(({ id }) => (inserted.has(id) ? id : undefined));
    };
    try {
      const ids = await this.tenants.transaction(organizationId, store, {
        singleStatement: !isLimited,
      });
      for (const slot of slots.values()) slot.release();
      return ids;
    } catch (error) {
      // The commit may have succeeded although the connection broke. So each slot is released with the id of its run.
      // Otherwise a stored run would wait for the end of its lease, and count a crash.
      for (const [id, slot] of slots) slot.release({ id });
      throw error;
    }
  }

  /**
   * Returns the run of the workflow with the same dedupe key, or undefined. Throws `idempotency_mismatch` when that run
   * has another payload.
   */
  async findDuplicateByKey(
    organizationId: string,
    { workflowId, dedupeKey, bodyHash }: Pick<NewRun, 'workflowId' | 'dedupeKey' | 'bodyHash'>,
    { isFull }: Ancestry = NO_ANCESTRY,
  ): Promise<RunStarted | undefined> {
    if (dedupeKey === null) return undefined;
    const earlier = await this.runs.findByDedupeKey(organizationId, workflowId, dedupeKey);
    if (!earlier) return undefined;
    if (!isFull && !earlier.bodyHash?.equals(bodyHash!)) {
      throw new AppError(
        'idempotency_mismatch',
        'This key was used with another body. Use a new key.',
      );
    }
    return { runId: earlier.id, duplicate: true };
  }

  /**
   * Returns the id of the newest run of the workflow that started in the last `seconds` with a {@link newBodyKey} of
   * this body, or null. Until the open transaction ends, calls for the same body in other transactions wait. Without
   * this, simultaneous deliveries would all start a run.
   */
  async findDuplicateByBody(
    organizationId: string,
    workflowId: string,
    bodyHash: Buffer,
    seconds: number,
  ): Promise<string | null> {
    return await this.runs.findByKeyPrefix(
      organizationId,
      workflowId,
      bodyKeyPrefix(bodyHash),
      seconds,
    );
  }

  private async delay(
    organizationId: string,
    run: NewRun,
    { contactId, limits }: InsertedRun,
  ): Promise<void> {
    await this.limits.delay(organizationId, run.id, { ...run, contactId }, limits!);
  }

  /** Reserves free slots of this process for new runs, and marks these runs as claimed. Returns the slots by run id. */
  private reserveSlots(organizationId: string, runs: readonly NewRun[]): Map<string, ReservedSlot> {
    const slots = new Map<string, ReservedSlot>();
    for (const run of runs) {
      const slot = run.refusal === null ? this.wakeUps.reserve('run', organizationId) : undefined;
      if (!slot) continue;
      slots.set(run.id, slot);
      run.leaseSeconds = LEASE_SECONDS;
    }
    return slots;
  }

  private notifyAfterCommit(
    organizationId: string,
    { id, refusal }: NewRun,
    { limits }: InsertedRun,
    slots?: Map<string, ReservedSlot>,
  ): void {
    // A worker that is woken before the commit does not see the row, and the wake-up is lost. The callback does not keep
    // the payload of the run in memory.
    this.tenants.afterCommit(() => {
      const slot = slots?.get(id);
      slots?.delete(id);
      this.wakeWorkers(organizationId, { id, refusal }, limits !== null, slot);
    });
    this.changes.publish(organizationId, resourceChange('runs', id));
  }

  private wakeWorkers(
    organizationId: string,
    { id, refusal }: Pick<NewRun, 'id' | 'refusal'>,
    isLimited: boolean,
    slot?: ReservedSlot,
  ): void {
    if (refusal !== null) return;
    void this.failpoints.reach('after commit, before wake-up', id).then(() => {
      if (slot) slot.start(id);
      else if (isLimited) void this.limits.admit(organizationId, id);
      else this.wakeUps.wake('run', id, undefined, organizationId);
    });
  }

  /**
   * Returns the reason for which an event must not start this run. Throws when a step must not start this run. A domain
   * event must not fail because of the runs that it starts, so its refused runs are stored.
   */
  private refusalOf(
    organizationId: string,
    { parentRunId, triggerType }: RunStart,
    ancestry: Ancestry,
  ): RunRefusal | null {
    if (parentRunId === undefined) return null;
    const loop = loopFault(ancestry);
    try {
      if (loop !== undefined) throw new AppError('conflict', loop);
      // The rate limit counts calls of agents and people when they arrive, and starts by runs here.
      this.limiter.consume(organizationId, 1);
      return null;
    } catch (error) {
      if (triggerType !== 'event' || !(error instanceof AppError)) throw error;
      return loop === undefined ? 'rate_limited' : 'loop';
    }
  }
}

/** Returns a new dedupe key by which {@link RunStartsService.findDuplicateByBody} finds the run of this body. */
export function newBodyKey(bodyHash: Buffer): string {
  return `${bodyKeyPrefix(bodyHash)}${newId('key')}`;
}

/** Returns the beginning of a dedupe key of a body. It has a space, so that no key of a sender equals it. */
function bodyKeyPrefix(bodyHash: Buffer): string {
  return `body ${bodyHash.toString('hex')} `;
}

function newRun(
  { bodyHash, contactEmail, revision, request, parentRunId: _, ...start }: RunStart,
  { depth, rootRunId }: Ancestry,
  refusal: RunRefusal | null,
): NewRun {
  return {
    ...start,
    id: newId('run'),
    bodyHash: bodyHash ?? hash('sha256', start.payload, 'buffer'),
    request: request ?? null,
    contactEmail: contactEmail ?? null,
    revision: revision ?? null,
    depth,
    rootRunId,
    refusal,
    leaseSeconds: null,
  };
}
