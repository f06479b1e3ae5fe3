import { type Read, dictionary, json, list, nullable, record, text } from '../../api/reader.ts';

const confirmation = record({
  id: text,
  tool: text,
  arguments: dictionary(json),
  state: text,
  api_key_id: text,
  created_at: text,
  expires_at: text,
  answered_by: nullable(text),
  answered_at: nullable(text),
});
export type Confirmation = Read<typeof confirmation>;
export const confirmationList = record({ confirmations: list(confirmation) });
export const confirmationResult = record({ confirmation });
