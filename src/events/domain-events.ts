import { Injectable } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { newId } from '../text/ids.js';

export const EVENT_NAMES = [
  'contact.created',
  'contact.updated',
  'contact.tagged',
  'message.sent',
  'message.delivered',
  'message.failed',
  'message.received',
  'run.failed',
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

export interface DomainEvent {
  readonly name: EventName;
  /** The contact of the event, if it has one. */
  readonly contactId: string | null;
  /** The JSON that workflows read. */
  readonly payload: object;
  /** The run that caused the event; null: none. When absent, it is the run whose step is being executed. */
  readonly runId?: string | null;
}

/** An event with its id and its cause, as listeners receive it. */
export interface EmittedEvent extends DomainEvent {
  readonly id: string;
  readonly runId: string | null;
}

/** Writes the consequences of an event in the transaction of the event. */
export type EventListener = (organizationId: string, event: EmittedEvent) => Promise<void>;

/** The id of the run whose step is being executed. */
const cause = new AsyncLocalStorage<string>();

/**
 * Delivers domain events to listeners inside the transaction of the event. What a listener writes is committed together
 * with the event or not at all.
 */
@Injectable()
export class DomainEvents {
  private readonly listeners: EventListener[] = [];

  constructor(private readonly tenants: TenantDatabase) {}

  /** Calls `listener` for every later event of this process. Call it only when the process starts. */
  subscribe(listener: EventListener): void {
    this.listeners.push(listener);
  }

  /** Resolves when all listeners have written. Rejects when one fails; then the caller must roll back. */
  async emit(organizationId: string, event: DomainEvent): Promise<void> {
    if (!this.tenants.inTransaction) throw new Error('Emit a domain event inside a transaction.');
    const runId = event.runId === undefined ? (cause.getStore() ?? null) : event.runId;
    const emitted: EmittedEvent = { ...event, id: newId('evt'), runId };
    for (const listener of this.listeners) await listener(organizationId, emitted);
  }

  /** Runs `work` as a part of a run. The run is the cause of every event in it that names no other. */
  runAsCause<T>(runId: string, work: () => Promise<T>): Promise<T> {
    return cause.run(runId, work);
  }
}
