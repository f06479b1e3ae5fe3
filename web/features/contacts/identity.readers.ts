import { nextCursor } from '../../api/page-readers.js';
import { type Read, boolean, list, nullable, record, text } from '../../api/reader.js';

const alias = record({ kind: text, value: text, created_at: text });
export type Alias = Read<typeof alias>;
export const aliasList = record({ aliases: list(alias) });
export const aliasResult = record({ alias });
export const removedAlias = record({ removed: boolean });

export const duplicatePage = record({
  duplicates: list(
    record({
      contact_id: text,
      name: nullable(text),
      address: nullable(text),
      other_id: text,
      other_name: nullable(text),
      other_address: nullable(text),
      reason: text,
      shared: text,
    }),
  ),
  next_cursor: nextCursor,
});

const settings = record({
  region: nullable(text),
  strict_properties: boolean,
  sms_help: nullable(text),
});
export type ContactSettings = Read<typeof settings>;
export const settingsResult = record({ settings });
