import { type Read, list, nullable, record, text } from '../../api/reader.ts';

const secret = record({
  name: text,
  kind: text,
  hosts: list(text),
  header: nullable(text),
  username: nullable(text),
  token_url: nullable(text),
  client_id: nullable(text),
  scope: nullable(text),
  client_auth: nullable(text),
  updated_at: text,
});
export type Secret = Read<typeof secret>;
export const secretList = record({ secrets: list(secret) });
export const secretResult = record({ secret });
export const deletedSecret = record({ deleted: text });
