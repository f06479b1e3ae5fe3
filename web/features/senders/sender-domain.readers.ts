import { type Read, boolean, list, nullable, record, text } from '../../api/reader.ts';

const senderKey = record({
  selector: text,
  state: text,
  is_found: boolean,
  record_name: text,
  record_value: text,
});
export type SenderKey = Read<typeof senderKey>;

const senderDomain = record({
  id: text,
  domain: text,
  state: text,
  result: nullable(text),
  record_name: text,
  record_value: text,
  keys: list(senderKey),
  checked_at: nullable(text),
});
export type SenderDomain = Read<typeof senderDomain>;
export const senderDomainList = record({ domains: list(senderDomain) });
export const senderDomainResult = record({ domain: senderDomain });
export const removedSenderDomain = record({ removed: text });
