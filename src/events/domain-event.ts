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
