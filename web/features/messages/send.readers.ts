import { nextCursor } from '../../api/page-readers.js';
import {
  type Read,
  json,
  list,
  nullable,
  number,
  optional,
  record,
  text,
} from '../../api/reader.js';

export const templateChoices = record({
  templates: list(record({ id: text, name: text, version: nullable(number) })),
  next_cursor: nextCursor,
});
const variable = record({
  name: text,
  type: text,
  description: optional(text),
  default: optional(json),
});
const template = record({ id: text, variables: list(variable) });
export type SendingTemplate = Read<typeof template>;
export const templateToSend = record({ template });
