import { type Read, nullable, number, record, text } from './reader.js';

/** Reads the members of a message that pages show. */
export const message = record({
  id: text,
  contact_id: nullable(text),
  channel: text,
  direction: text,
  subject: nullable(text),
  body: text,
  topic: nullable(text),
  template_id: nullable(text),
  template_version: nullable(number),
  status: text,
  status_reason: nullable(text),
  provider_id: nullable(text),
  provider_message_id: nullable(text),
  to: nullable(text),
  run_id: nullable(text),
  scheduled_at: nullable(text),
  held_until: nullable(text),
  sent_at: nullable(text),
  created_at: text,
  updated_at: text,
});
export type Message = Read<typeof message>;

const MOST_TITLE = 80;

/** Returns the subject of a message, or the beginning of its text when it has none, or else `none`. */
export function titleOf(
  { subject, body }: Pick<Message, 'subject' | 'body'>,
  none: string,
): string {
  if (subject !== null) return subject;
  const start = body.slice(0, MOST_TITLE).trim();
  if (start === '') return none;
  return body.length > MOST_TITLE ? `${start}…` : start;
}
