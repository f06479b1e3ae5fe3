import type { DomainEvent, EventName } from '../events/domain-events.js';
import { MessageView } from './message.results.js';
import type { Message } from './message.entity.js';

/**
 * What happened to a message. It is caused by the run that sent the message, also when somebody else tells of it: a
 * run that writes whenever a message of its own was delivered would otherwise go on for ever.
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
