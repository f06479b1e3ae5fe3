import { Injectable } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { newId } from '../text/ids.js';
import type { CustomEventName } from './custom-event-name.js';

export const EVENT_NAMES = [
  'contact.created',
  'contact.updated',
  'contact.tagged',
  'contact.merged',
  'message.sent',
  'message.delivered',
  'message.failed',
  'message.received',
  'run.failed',
  'segment.entered',
  'segment.left',
] as const;

/** The name of an event of Switchboard, or of a custom event. */
export type EventName = (typeof EVENT_NAMES)[number] | CustomEventName;

export interface DomainEvent {
  readonly name: EventName;
  /** The contact that the event is about, if it is about a contact. */
  readonly contactId: string | null;
  /** The segment of `segment.entered` and `segment.left`. A trigger may be for one segment only. */
  readonly segmentId?: string;
  /** The JSON that workflows read. */
  readonly payload: object;
  /** The run that caused the event, or null. When absent, the run of the current step is the cause. */
  readonly runId?: string | null;
  /**
   * Counts the effects of the event, such as started runs. Listeners add to these counts in the transaction of the
   * event.
   */
  readonly effects?: EventEffects;
}

export interface EventEffects {
  startedRuns: number;
}

/** A function that is called when an event is delivered to waiting runs, in the transaction of the delivery. */
export type DeliveryListener = (
  organizationId: string,
  event: { id: string; name: EventName },
  continuedRuns: number,
) => Promise<void>;

/** An event as listeners receive it, with its id and its cause. */
export interface EmittedEvent extends DomainEvent {
  readonly id: string;
  readonly runId: string | null;
}

/** Writes the consequences of an event in the transaction of the event. */
export type EventListener = (organizationId: string, event: EmittedEvent) => Promise<void>;

/** Returns false when an event of this name would have no consequences now. */
export type InterestCheck = (organizationId: string, name: EventName) => Promise<boolean>;

/** The id of the run of the current step. */
const cause = new AsyncLocalStorage<string>();

/**
 * Delivers domain events to listeners inside the transaction of the event. The writes of a listener are committed only
 * together with the event.
 */
@Injectable()
export class DomainEvents {
  private readonly listeners: EventListener[] = [];
  private readonly interests: InterestCheck[] = [];
  private readonly deliveryListeners: DeliveryListener[] = [];

  constructor(private readonly tenants: TenantDatabase) {}

  /** Calls `listener` for every later event of this process. Call it only when the process starts. */
  subscribe(listener: EventListener, isInterested: InterestCheck = async () => true): void {
    this.listeners.push(listener);
    this.interests.push(isInterested);
  }

  /**
   * Returns false when events of this name would have no consequences. A caller with many such events need not emit
   * them.
   */
  async isAwaited(organizationId: string, name: EventName): Promise<boolean> {
    // Statements that are sent together take one round trip.
    const answers = await Promise.all(
      this.interests.map((isInterested) => isInterested(organizationId, name)),
    );
    return answers.includes(true);
  }

  /** Calls `listener` for every later delivery to waiting runs. Call it only when the process starts. */
  subscribeToDeliveries(listener: DeliveryListener): void {
    this.deliveryListeners.push(listener);
  }

  /** Tells listeners how many waiting runs an event has woken. Call it in the transaction that ends their waits. */
  async delivered(...delivery: Parameters<DeliveryListener>): Promise<void> {
    for (const listener of this.deliveryListeners) await listener(...delivery);
  }

  /**
   * Resolves with the id of the event and of its cause when all listeners have written. Rejects when a listener fails.
   * Then the caller must roll back.
   */
  async emit(
    organizationId: string,
    event: DomainEvent,
  ): Promise<Pick<EmittedEvent, 'id' | 'runId'>> {
    if (!this.tenants.inTransaction) throw new Error('A domain event needs a transaction.');
    const runId = event.runId === undefined ? (cause.getStore() ?? null) : event.runId;
    const emitted: EmittedEvent = { ...event, id: newId('evt'), runId };
    for (const listener of this.listeners) await listener(organizationId, emitted);
    return { id: emitted.id, runId };
  }

  /**
   * Runs `work` as part of a run. The run is the cause of each event that `work` emits, unless the event names another
   * cause.
   */
  runAsCause<T>(runId: string, work: () => Promise<T>): Promise<T> {
    return cause.run(runId, work);
  }
}
