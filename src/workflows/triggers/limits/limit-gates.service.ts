import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ContactView } from '../../../contacts/contact.results.js';
import { ContactsService } from '../../../contacts/contacts.service.js';
import { GateDatabase } from '../../../database/gate-database.js';
import { AppError, toError } from '../../../errors/app-error.js';
import { parseJson } from '../../../http/request-body.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import { WakeUps } from '../../../queue/wake-ups.js';
import { RunLimitsRepository, type RunKeys } from './limit-gates.repository.js';
import type { RunLimit, RunLimits } from '../../definitions/run-limits.js';
import type { RunTriggerType } from '../../definitions/trigger.js';

const LONGEST_KEY = 200;

/** What the keys of a run are made of. */
interface Started {
  triggerType: RunTriggerType;
  payload: Buffer;
  contactId: string | null;
}

interface Admitted {
  id: string;
  organization_id: string;
}

/**
 * Keeps runs to the limits of their workflow. The database decides who may go, by its own clock and for all processes;
 * this asks it whenever something has changed, and tells workers of whom it let go.
 */
@Injectable()
export class RunLimitsService {
  private readonly logger = new Logger(RunLimitsService.name);

  constructor(
    private readonly gate: GateDatabase,
    private readonly gates: RunLimitsRepository,
    private readonly contacts: ContactsService,
    private readonly liquid: LiquidSandbox,
    private readonly wakeUps: WakeUps,
  ) {}

  /** Puts a run that this transaction has inserted behind the first gate of its workflow's limits. */
  async hold(
    organizationId: string,
    id: string,
    started: Started,
    limits: RunLimits,
  ): Promise<void> {
    const keys = await this.keysOf(organizationId, started, limits);
    await this.gates.hold(organizationId, id, firstGate(keys, limits), keys);
  }

  /** Lets go whom the start, the end or the wait of a run lets go. Never throws: what this leaves, the sweep does. */
  async admit(id: string): Promise<void> {
    await this.wake('admit_runs', [id]);
  }

  /** Lets go whom nobody let go, because a process died before it could. Never throws. */
  async sweep(): Promise<void> {
    await this.wake('sweep_run_limits', []);
  }

  private async wake(name: string, values: readonly string[]): Promise<void> {
    try {
      const admitted = await this.gate.call<Admitted>(name, values);
      for (const { id, organization_id: organizationId } of admitted) {
        this.wakeUps.wake('run', id, undefined, organizationId);
      }
    } catch (error) {
      this.logger.debug(`Letting runs go is left to the sweep: ${toError(error).message}`);
    }
  }

  private async keysOf(
    organizationId: string,
    started: Started,
    { concurrency, debounce }: RunLimits,
  ): Promise<RunKeys> {
    const isKeyed = concurrency?.key !== undefined || debounce?.key !== undefined;
    const scope = isKeyed ? await this.scope(organizationId, started) : {};
    // Without a key there is no telling what it repeats, and a run that nothing repeats must not be put off.
    const debounceKey = debounce?.key === undefined ? '' : this.key(debounce.key, scope);
    const isDebounced = debounce !== undefined && debounceKey !== undefined;
    return {
      debounceKey: isDebounced ? debounceKey : null,
      debounceSeconds: isDebounced ? debounce.seconds : null,
      // All runs without a key share one: more of them at once than of any other key is nothing anybody asked for.
      slotKey: concurrency?.key === undefined ? null : (this.key(concurrency.key, scope) ?? ''),
    };
  }

  private async scope(organizationId: string, started: Started): Promise<object> {
    const { triggerType: type, contactId } = started;
    const contact = contactId === null ? null : await this.contacts.find(organizationId, contactId);
    return {
      trigger: { type, payload: parseJson(started.payload) },
      contact: contact && ContactView.of(contact),
    };
  }

  /** Undefined when the expression has no value, or fails: what came was accepted, and its run must be carried out. */
  private key(expression: string, scope: object): string | undefined {
    try {
      const value = this.liquid.evaluate(expression, scope);
      const text = typeof value === 'string' ? value.trim() : JSON.stringify(value ?? '');
      return text === '' || text === '""' ? undefined : shortened(text);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return undefined;
    }
  }
}

function firstGate(keys: RunKeys, limits: RunLimits): RunLimit {
  if (keys.debounceKey !== null) return 'debounce';
  if (limits.rate) return 'rate';
  return keys.slotKey === null ? 'slot' : 'key';
}

/** A key as it can be stored and be part of an index: PostgreSQL takes neither U+0000 nor endless text. */
function shortened(key: string): string {
  if (key.length <= LONGEST_KEY && !key.includes('\0') && key.isWellFormed()) return key;
  return `sha256:${createHash('sha256').update(JSON.stringify(key)).digest('hex')}`;
}
