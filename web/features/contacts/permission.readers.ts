import { nextCursor } from '../../api/page-readers.js';
import { type Read, boolean, dictionary, list, nullable, record, text } from '../../api/reader.js';

const subscription = record({
  topic: text,
  title: text,
  state: text,
  source: nullable(text),
  changed_at: nullable(text),
});
export type Subscription = Read<typeof subscription>;
export const subscriptionList = record({ subscriptions: list(subscription) });
export const subscriptionResult = record({ state: text, changed: boolean });

const consentChange = record({
  kind: text,
  name: text,
  from: nullable(text),
  to: nullable(text),
  source: text,
  evidence: nullable(dictionary(text)),
  at: text,
});
export type ConsentChange = Read<typeof consentChange>;
export const consentChangePage = record({ changes: list(consentChange), next_cursor: nextCursor });
