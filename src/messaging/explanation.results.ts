import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Flag, ListOf, Text, Timestamp } from '../tools/schema/fields.js';
import { MessageEventView } from './message.results.js';

/** The rules in the order in which they decide: first the rules of `send_message`, then the rules of a worker. */
export const SEND_RULES = [
  'contact',
  'address',
  'provider',
  'consent',
  'quota',
  'schedule',
  'digest',
  'retry',
  'suppression',
  'topic',
  'quiet_hours',
  'frequency_cap',
] as const;
export type SendRule = (typeof SEND_RULES)[number];

export const SEND_OUTCOMES = ['send', 'hold', 'refuse', 'sent', 'not_sent', 'unknown'] as const;
export type SendOutcome = (typeof SEND_OUTCOMES)[number];

export class SendCheckView {
  @Choice(SEND_RULES)
  rule: SendRule;

  @Flag('True if the rule lets the message be sent now.')
  passed: boolean;

  @Text('Reason when false, or the checked cap.', { nullable: true })
  reason: string | null;

  @Doc(
    'The time from which the rule allows sending. Null if it allows sending now, or refuses the message.',
  )
  @Timestamp({ nullable: true })
  until: string | null;
}

export class ExplanationResult {
  @Doc(
    'send: the message is sent now; hold: it waits until the time; refuse: it is not sent. For a message that has ' +
      'ended: sent, not_sent, or unknown while an attempt has no result.',
  )
  @Choice(SEND_OUTCOMES)
  outcome: SendOutcome;

  @Text('Reason why the message is not sent, or is not sent now.', { nullable: true })
  reason: string | null;

  @Timestamp({ nullable: true })
  until: string | null;

  @Doc(
    'Every rule that was checked. A rule that refuses ends the list. Empty for a message that has ended.',
  )
  @ListOf(() => SendCheckView)
  checks: SendCheckView[];

  @Doc('What happened to the message so far, oldest first.')
  @ListOf(() => MessageEventView)
  events: MessageEventView[];
}
