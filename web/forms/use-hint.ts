import { useTexts } from '../texts/language.tsx';
import { formTexts } from '../texts/form.texts.js';
import { fieldKind } from './draft.js';
import type { Schema } from './schema.js';

const MOST_EXAMPLE_CHARACTERS = 120;

/** Returns the text below a field: its description, range, default and an example. */
export function useHint(schema: Schema): string {
  const texts = useTexts(formTexts);
  const { description = '', minimum, maximum, examples, format } = schema;
  const parts = [description];
  if (minimum !== undefined && maximum !== undefined) {
    parts.push(`${texts.range(String(minimum), String(maximum))}.`);
  } else if (minimum !== undefined) parts.push(`${texts.atLeast(String(minimum))}.`);
  else if (maximum !== undefined) parts.push(`${texts.atMost(String(maximum))}.`);
  const kind = fieldKind(schema);
  if (schema.default !== undefined && kind !== 'choice' && kind !== 'flag') {
    parts.push(`${texts.defaultValue(show(schema.default))}.`);
  }
  const example = examples?.[0];
  if (example !== undefined) {
    const shown = show(example);
    if (shown.length <= MOST_EXAMPLE_CHARACTERS) parts.push(texts.example(shown));
  } else if (format === 'date-time') parts.push(texts.example('2030-01-31T09:00:00Z'));
  return parts.filter(Boolean).join(' ');
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
