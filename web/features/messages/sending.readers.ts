import { type Read, boolean, list, nullable, number, record, text } from '../../api/reader.js';

const quietHours = record({ from: text, to: text, days: list(text), channels: list(text) });
const cap = record({
  channel: text,
  topic: nullable(text),
  most: number,
  window_seconds: number,
  on_cap: text,
});
export type Cap = Read<typeof cap>;
const rules = record({
  timezone: text,
  transactional_email: boolean,
  quiet_hours: nullable(quietHours),
  caps: list(cap),
});
export type SendingRules = Read<typeof rules>;
export const rulesResult = record({ rules });
