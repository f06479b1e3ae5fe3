import { nextCursor } from '../../api/page-readers.js';
import { type Read, boolean, list, number, record, text } from '../../api/reader.js';

export const PROPERTY_TYPES = ['text', 'number', 'boolean', 'date', 'enum', 'list'] as const;

const property = record({ name: text, type: text, options: list(text) });
/** Describes a declared property of contacts. */
export type Property = Read<typeof property>;
export const propertyList = record({ properties: list(property) });
export const propertyResult = record({ property });
export const deletedProperty = record({ deleted: text });
export const unfitValues = record({
  unfit_values: list(record({ contact_id: text, value: text })),
  next_cursor: nextCursor,
});
export const removedValues = record({ removed: number, has_more: boolean });
