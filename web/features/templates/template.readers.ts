import { nextCursor } from '../../api/page-readers.js';
import {
  type Read,
  boolean,
  dictionary,
  json,
  list,
  nullable,
  number,
  optional,
  record,
  text,
} from '../../api/reader.js';

const summary = record({
  id: text,
  name: text,
  description: nullable(text),
  version: nullable(number),
  draft_version: number,
  locales: list(text),
  updated_at: text,
});
const variable = record({
  name: text,
  type: text,
  description: optional(text),
  default: optional(json),
});
const variant = record({
  email: optional(record({ subject: text, html: optional(text), text: optional(text) })),
  sms: optional(record({ text: text })),
});
const template = record({
  id: text,
  name: text,
  description: nullable(text),
  version: nullable(number),
  draft_version: number,
  variables: list(variable),
  variants: dictionary(variant),
});
export type Template = Read<typeof template>;
export type TemplateVariable = Read<typeof variable>;
export type TemplateVariant = Read<typeof variant>;

const placed = record({ path: text, message: text });
const warnings = list(placed);
export type Placed = Read<typeof placed>;

export const templatePage = record({ templates: list(summary), next_cursor: nextCursor });
export const templateResult = record({ template });
export const publishedTemplate = record({ template, warnings });
export const deletedRow = record({ deleted: boolean });

export const templatePreview = record({
  email: nullable(record({ locale: text, subject: text, html: nullable(text), text })),
  sms: nullable(record({ locale: text, text })),
  missing: list(text),
  faults: list(placed),
  warnings,
});
export const sentTest = record({ to: text, status: text, reason: nullable(text) });

const version = record({
  version: number,
  published_at: text,
  published_by: record({ kind: text, id: text }),
  restored_from: nullable(number),
  warnings,
});
export const versionPage = record({ versions: list(version), next_cursor: nextCursor });
const change = record({ path: text, before: optional(json), after: optional(json) });
export const versionsDiff = record({ changes: list(change) });

const snippet = record({ id: text, name: text, content: text });
export type Snippet = Read<typeof snippet>;
export const snippetPage = record({ snippets: list(snippet), next_cursor: nextCursor });
export const snippetResult = record({ snippet });

/** The tools whose results change when a template changes. */
export const TEMPLATE_TOOLS = ['get_template', 'list_templates', 'list_template_versions'] as const;
