import { Injectable } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { newId } from '../text/ids.js';

/** Does what follows from an event, by statements of the transaction that the event happens in. */
export type EventListener = (organizationId: string, event: EmittedEvent) => Promise<void>;

/**
 * Hands what happens in one feature to others, inside the transaction in which it happens: what listeners write is
 * committed with the event or not at all, so nothing is lost between the two and nothing follows from what never was.
 */
@Injectable()
export class DomainEvents {
  private readonly listeners: EventListener[] = [];
  private readonly cause = new AsyncLocalStorage<string>();

  constructor(private readonly tenants: TenantDatabase) {}

  /** From now on `listener` is told of every event that this process emits. Called once, when the process starts. */
  subscribe(listener: EventListener): void {
    this.listeners.push(listener);
  }

  /** Resolves when all listeners have written what follows; a throw of one is a reason to roll back. */
  async emit(organizationId: string, event: DomainEvent): Promise<void> {
    if (!this.tenants.inTransaction) throw new Error('An event happens in a transaction.');
    const runId = event.runId === undefined ? (this.cause.getStore() ?? null) : event.runId;
    const emitted: EmittedEvent = { ...event, id: newId('evt'), runId };
    for (const listener of this.listeners) await listener(organizationId, emitted);
  }

  /** Runs a step of a run: events that say nothing of their cause are caused by it. */
  causedBy<T>(runId: string, work: () => Promise<T>): Promise<T> {
    return this.cause.run(runId, work);
  }
}

/** What can start workflows, besides those who ask for it. */
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

/** Something that happened in an organization, told by the feature that owns it. */
export interface DomainEvent {
  readonly name: EventName;
  /** The contact that it is about. */
  readonly contactId: string | null;
  /** What workflows see of it; JSON. */
  readonly payload: object;
  /** The run that caused it, null for none; when absent, the one whose step is being carried out. */
  readonly runId?: string | null;
}

/** An event on its way: it has an identity, and its cause is settled. */
export interface EmittedEvent extends DomainEvent {
  readonly id: string;
  readonly runId: string | null;
}
