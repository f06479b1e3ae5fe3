import type { DomainEvent, EventName } from '../events/domain-events.js';
import { MessageView } from './message.results.js';
import type { Message } from './message.entity.js';

/**
 * Creates the event of a message. Its cause is the run that sent the message, even when a provider reports the event.
 * With another cause, a workflow that sends a message after each delivery would start itself forever.
 */
export function messageEvent(
  name: Extract<EventName, `message.${string}`>,
  message: Message,
): DomainEvent {
  const { contactId, runId } = message;
  return {
    name,
    contactId,
    payload: { event: name, message: MessageView.of(message) },
    ...(runId !== null && { runId }),
  };
}
