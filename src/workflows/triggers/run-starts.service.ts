import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { parseJson } from '../../http/request-body.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { newId } from '../../text/ids.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import { type InsertedRun, type NewRun, RunsRepository } from '../journal/runs.repository.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { RunLimitsService } from './limits/limit-gates.service.js';

/** How many runs may follow from each other after the first: what goes on for longer is a loop. */
const MAX_DEPTH = 8;
/** How many runs may follow from one: what branches out further than that is no less a loop than what goes on. */
const MAX_FOLLOWERS = 10_000;
const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** Why a run was not carried out although its event happened. */
export type RunRefusal = 'filter_failed' | 'loop' | 'rate_limited';

/** What a run is started with. */
export interface RunStart {
  workflowId: string;
  triggerType: RunTriggerType;
  /** A JSON object, byte for byte as it came. */
  payload: Buffer;
  /** SHA-256 of the payload, if it is known. */
  bodyHash?: Buffer;
  contactId: string | null;
  /** Whom it is about if `contactId` tells of nobody, in small letters. */
  contactEmail?: string | null;
  /** The same key starts one run only. */
  dedupeKey: string | null;
  /** The run whose step starts this one, or that caused the event. */
  parentRunId?: string;
  /** Stored as failed for this reason, for its owner to see and to retry. */
  refusal?: RunRefusal;
  /** Started only while the workflow is in this state. */
  revision?: string;
}

/** The runs that led to one. */
interface Origin {
  /** How many they are. */
  depth: number;
  /** The first of them. */
  rootRunId: string | null;
  /** Whether as many follow from that one as may. */
  isFull: boolean;
}

const NO_ORIGIN: Origin = { depth: 0, rootRunId: null, isFull: false };

/** Starts runs, whatever asks for them. */
@Injectable()
export class RunStarts {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly contacts: ContactsService,
    private readonly wakeUps: WakeUps,
    private readonly limiter: RateLimiter,
    private readonly limitGates: RunLimitsService,
    private readonly changes: ChangeFeed,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Starts a run and returns its id once its row is committed, or that of the run which the same key started before.
   * Throws `idempotency_mismatch` for a key that came with other bytes, and `not_found` for a workflow that is gone.
   */
  async start(
    organizationId: string,
    start: RunStart,
  ): Promise<{ runId: string; duplicate: boolean }> {
    return await this.tenants.transaction(organizationId, async () => {
      const origin = await this.origin(organizationId, start.parentRunId);
      const refusal = start.refusal ?? this.refusal(organizationId, start, origin);
      const run = newRun(start, origin, refusal);
      // Refusals are rows too, so of those that there are too many of, each workflow has one.
      if (origin.isFull) run.dedupeKey = `followers ${origin.rootRunId}`;
      const inserted = (await this.runs.insert(organizationId, [run])).get(run.id);
      if (inserted) {
        await this.begin(organizationId, run, inserted);
        await this.failpoints.reach('after insert, before commit', run.id);
        return { runId: run.id, duplicate: false };
      }
      const earlier =
        run.dedupeKey === null
          ? null
          : await this.runs.findByDedupeKey(organizationId, start.workflowId, run.dedupeKey);
      if (!earlier) throw AppError.notFound('workflow');
      if (!origin.isFull && !earlier.bodyHash?.equals(run.bodyHash!)) {
        throw new AppError('idempotency_mismatch', 'This key was used before with another body.');
      }
      return { runId: earlier.id, duplicate: true };
    });
  }

  /**
   * Starts runs that follow from no other and are under no limits, by one statement, and returns the id of each once all
   * are committed; undefined for one that is left to others, because its key was used before or its workflow was changed
   * or is gone. Throws `unavailable` where nobody can tell which were started.
   */
  async startOnce(
    organizationId: string,
    starts: readonly RunStart[],
  ): Promise<(string | undefined)[]> {
    const runs = starts.map((start) => newRun(start, NO_ORIGIN, start.refusal ?? null));
    const inserted = await this.runs.insertOnce(organizationId, runs);
    return runs.map(({ id, refusal }) => {
      if (!inserted.has(id)) return undefined;
      if (refusal === null) void this.hint(organizationId, id, false);
      this.changes.publish(organizationId, resourceChange('runs', id));
      return id;
    });
  }

  /**
   * Starts runs that follow from no other, in one transaction, and returns the id of each once all are committed;
   * undefined for one that is left to `start`, because its key was used before or its workflow was changed or is gone.
   */
  async startTogether(
    organizationId: string,
    starts: readonly RunStart[],
  ): Promise<(string | undefined)[]> {
    return await this.tenants.transaction(organizationId, async () => {
      const runs = starts.map((start) => newRun(start, NO_ORIGIN, start.refusal ?? null));
      const inserted = await this.runs.insert(organizationId, runs);
      for (const run of runs) {
        const found = inserted.get(run.id);
        if (found) await this.begin(organizationId, run, found);
      }
      await Promise.all(
        [...inserted.keys()].map((id) => this.failpoints.reach('after insert, before commit', id)),
      );
      return runs.map(({ id }) => (inserted.has(id) ? id : undefined));
    });
  }

  /** Starts a run by hand. An unknown contact is an error, an unknown address only means no contact. */
  async trigger(
    organizationId: string,
    input: {
      workflowId: string;
      payload: object;
      contactId?: string;
      email?: string;
      parentRunId?: string;
    },
  ): Promise<string> {
    const workflow = await this.workflows.find(organizationId, input.workflowId);
    if (!workflow) throw AppError.notFound('workflow');
    if (!workflow.active) throw new AppError('conflict', 'The workflow is not active.');
    const payload = Buffer.from(JSON.stringify(input.payload));
    if (payload.length > MAX_PAYLOAD_BYTES) {
      throw AppError.invalid(`payload must be at most ${MAX_PAYLOAD_BYTES} bytes.`);
    }
    // The same limits as for a body that a webhook takes, so that every stored payload can be read again.
    parseJson(payload);
    const contact =
      input.contactId !== undefined
        ? await this.contacts.get(organizationId, input.contactId)
        : input.email !== undefined
          ? await this.contacts.findByEmail(organizationId, input.email)
          : null;
    const { runId } = await this.start(organizationId, {
      workflowId: workflow.id,
      triggerType: 'manual',
      payload,
      contactId: contact?.id ?? null,
      dedupeKey: null,
      parentRunId: input.parentRunId,
    });
    return runId;
  }

  /** What belongs to the run that the open transaction has inserted. */
  private async begin(
    organizationId: string,
    run: NewRun,
    { contactId, limits }: InsertedRun,
  ): Promise<void> {
    const { id, refusal } = run;
    if (limits) await this.limitGates.hold(organizationId, id, { ...run, contactId }, limits);
    // Commit first, wake second: a worker woken for a row it cannot see yet would drop the hint.
    if (refusal === null) {
      this.tenants.afterCommit(() => void this.hint(organizationId, id, limits !== null));
    }
    this.changes.publish(organizationId, resourceChange('runs', id));
  }

  private async hint(organizationId: string, id: string, isLimited: boolean): Promise<void> {
    await this.failpoints.reach('after commit, before hint', id);
    if (isLimited) await this.limitGates.admit(id);
    else this.wakeUps.wake('run', id, undefined, organizationId);
  }

  /** What the run follows from. A run that is gone is no part of a loop that is going on. */
  private async origin(organizationId: string, parentRunId: string | undefined): Promise<Origin> {
    const parent =
      parentRunId === undefined ? null : await this.runs.find(organizationId, parentRunId);
    if (!parent) return NO_ORIGIN;
    const rootRunId = parent.rootRunId ?? parent.id;
    const isFull = await this.runs.hasFollowers(organizationId, rootRunId, MAX_FOLLOWERS);
    return { depth: parent.depth + 1, rootRunId, isFull };
  }

  /**
   * Why a run that follows from another one is not carried out. A step is told by a throw; an event has happened and
   * must not fail for what would follow, so its run is stored with the reason.
   */
  private refusal(organizationId: string, start: RunStart, origin: Origin): RunRefusal | null {
    if (start.parentRunId === undefined) return null;
    const loop = loopFault(origin);
    try {
      if (loop !== undefined) throw new AppError('conflict', loop);
      // Calls from outside are counted at the edge; runs that start runs would otherwise multiply uncounted.
      this.limiter.consume(organizationId, 1);
      return null;
    } catch (error) {
      if (start.triggerType !== 'event' || !(error instanceof AppError)) throw error;
      return loop === undefined ? 'rate_limited' : 'loop';
    }
  }
}

function newRun(start: RunStart, origin: Origin, refusal: RunRefusal | null): NewRun {
  const { workflowId, triggerType, payload, contactId, contactEmail = null, dedupeKey } = start;
  const { revision = null } = start;
  const { depth, rootRunId } = origin;
  const bodyHash = start.bodyHash ?? hash('sha256', payload, 'buffer');
  const given = { workflowId, triggerType, payload, contactId, contactEmail, dedupeKey, bodyHash };
  return { ...given, id: newId('run'), depth, rootRunId, refusal, revision };
}

function loopFault({ depth, isFull }: Origin): string | undefined {
  if (isFull) return `At most ${MAX_FOLLOWERS} runs may follow from one.`;
  return depth > MAX_DEPTH ? `Runs may start each other ${MAX_DEPTH} deep at most.` : undefined;
}
