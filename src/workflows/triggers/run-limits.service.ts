import { createHash } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { ContactView } from '../../contacts/contact.results.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { GateDatabase } from '../../database/gate-database.js';
import { AppError, toError } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { readPayload } from '../journal/parse-payload.js';
import { type RunKeys, RunsRepository } from '../journal/runs.repository.js';
import type { LargePayload } from '../payloads/large-value.js';
import type { RunLimit, RunLimits } from '../definitions/run-limits.js';
import { type TriggerRequest, triggerVariable } from '../definitions/trigger-request.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import { AdmissionTimers } from './admission-timers.js';

const MAX_KEY_LENGTH = 200;

interface AdmittedRun {
  id: string;
  organization_id: string;
  /** The milliseconds after which a run that is still delayed must be checked again. Null for an admitted run. */
  wait_ms?: number | null;
}

interface LimitedRun {
  triggerType: RunTriggerType;
  payload: Buffer;
  largePayload?: LargePayload;
  request: TriggerRequest | null;
  contactId: string | null;
}

/**
 * Delays runs by the limits of their workflow. The database decides which runs may start, by its clock and for all
 * processes. This service calls the database after every change.
 */
@Injectable()
export class RunLimitsService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RunLimitsService.name);
  private readonly timers = new AdmissionTimers(
    (organizationId, id) => void this.admit(organizationId, id),
  );

  constructor(
    private readonly gate: GateDatabase,
    private readonly runs: RunsRepository,
    private readonly contacts: ContactsService,
    private readonly liquid: LiquidSandbox,
    private readonly wakeUps: WakeUps,
  ) {}

  beforeApplicationShutdown(): void {
    this.timers.stop();
  }

  /** Delays a run that this transaction has inserted, by the first limit of its workflow. */
  async delay(
    organizationId: string,
    id: string,
    run: LimitedRun,
    limits: RunLimits,
  ): Promise<void> {
    const keys = await this.keysOf(organizationId, run, limits);
    await this.runs.delay(organizationId, id, firstLimit(keys, limits), keys);
  }

  /** Returns the key by which the concurrency limit counts a run, or null when the limit has no key. */
  async slotKeyOf(
    organizationId: string,
    run: LimitedRun,
    { concurrency }: RunLimits,
  ): Promise<string | null> {
    const limits = concurrency && { concurrency };
    return limits ? (await this.keysOf(organizationId, run, limits)).slotKey : null;
  }

  /** Admits the runs that may start after a change of this run. Never throws, because the sweep retries. */
  async admit(organizationId: string, id: string): Promise<void> {
    await this.wakeAdmitted(() =>
      this.gate.callFor<AdmittedRun>(`runs of ${organizationId}`, 'admit_runs', [id]),
    );
  }

  /** Admits runs that another process has not admitted because the other process died. Never throws. */
  async sweep(): Promise<void> {
    await this.wakeAdmitted(() => this.gate.call<AdmittedRun>('sweep_run_limits', []));
  }

  private async wakeAdmitted(admit: () => Promise<AdmittedRun[]>): Promise<void> {
    try {
      for (const { id, organization_id: organizationId, wait_ms: waitMs } of await admit()) {
        if (typeof waitMs === 'number') this.timers.set(organizationId, id, waitMs);
        else this.wakeUps.wake('run', id, undefined, organizationId);
      }
    } catch (error) {
      this.logger.debug(`Admitting runs failed; the sweep retries: ${toError(error).message}`);
    }
  }

  private async keysOf(
    organizationId: string,
    run: LimitedRun,
    { concurrency, debounce }: RunLimits,
  ): Promise<RunKeys> {
    const isKeyed = concurrency?.key !== undefined || debounce?.key !== undefined;
    const scope = isKeyed ? await this.scope(organizationId, run) : {};
    // A debounce key without a value matches no other start, so the run is not delayed.
    const debounceKey =
      debounce?.key === undefined ? '' : await this.key(organizationId, debounce.key, scope);
    const slotKey =
      concurrency?.key === undefined
        ? null
        : await this.key(organizationId, concurrency.key, scope);
    const isDebounced = debounce !== undefined && debounceKey !== undefined;
    return {
      debounceKey: isDebounced ? debounceKey : null,
      debounceSeconds: isDebounced ? debounce.seconds : null,
      // Runs without a key value share one key, so that the limit per key applies to them too.
      slotKey: slotKey === undefined ? '' : slotKey,
    };
  }

  private async scope(organizationId: string, run: LimitedRun): Promise<object> {
    const { triggerType: type, payload, largePayload, request, contactId } = run;
    const contact = contactId === null ? null : await this.contacts.find(organizationId, contactId);
    return {
      trigger: triggerVariable({
        type,
        payload: readPayload(payload, largePayload),
        request,
        createdAt: new Date(),
      }),
      contact: contact && ContactView.of(contact),
    };
  }

  /**
   * Returns the key of a run. Returns undefined when the expression has no value or fails, because an accepted run must
   * still be executed.
   */
  private async key(
    organizationId: string,
    expression: string,
    scope: object,
  ): Promise<string | undefined> {
    try {
      const value = await this.liquid.evaluate(organizationId, expression, scope);
      const text = typeof value === 'string' ? value.trim() : JSON.stringify(value ?? '');
      return text === '' || text === '""' ? undefined : storableKey(text);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return undefined;
    }
  }
}

function firstLimit(keys: RunKeys, limits: RunLimits): RunLimit {
  if (keys.debounceKey !== null) return 'debounce';
  if (limits.rate) return 'rate';
  return keys.slotKey === null ? 'slot' : 'key';
}

/**
 * Returns the key, or a hash of a key that PostgreSQL cannot store or index. Such a key is too long, or has U+0000 or a
 * lone surrogate.
 */
function storableKey(key: string): string {
  if (key.length <= MAX_KEY_LENGTH && !key.includes('\0') && key.isWellFormed()) return key;
  return `sha256:${createHash('sha256').update(JSON.stringify(key)).digest('hex')}`;
}
