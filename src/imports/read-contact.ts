import type { ContactRules } from '../contacts/contact-rules.js';
import type { PropertyRule } from '../contacts/property-type.js';
import { withoutGuard } from '../text/csv-line.js';
import type { ColumnMapping } from './import-options.js';

const NUMBER = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/**
 * Returns the arguments of `create_contact` for the cells of a row. A field with an empty cell is left out. The cell of
 * a declared property becomes a value of its type. A cell that does not fit stays text, which the checks of contacts
 * refuse.
 */
export function readContact(
  cells: readonly string[],
  columns: readonly string[],
  mapping: ColumnMapping,
  rules: ContactRules,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const properties: Record<string, unknown> = {};
  const consent: Record<string, unknown> = {};
  const tags: string[] = [];
  for (const [index, column] of columns.entries()) {
    const target = Object.hasOwn(mapping, column) ? mapping[column] : undefined;
    const cell = withoutGuard((cells[index] ?? '').trim());
    if (target === undefined || cell === '') continue;
    const [group, name] = target.split('.', 2) as [string, string | undefined];
    if (group === 'tags') {
      // `push(...tags)` would throw for a cell with very many tags, because JavaScript limits the arguments of a call.
      for (const tag of splitList(cell)) tags.push(tag);
    } else if (group === 'properties')
      properties[name!] = readValue(cell, rules.properties.get(name!));
    else if (group === 'consent') consent[name!] = readConsent(cell.toLowerCase());
    else input[target] = cell;
  }
  if (tags.length > 0) input.tags = tags;
  if (Object.keys(properties).length > 0) input.properties = properties;
  if (Object.keys(consent).length > 0) input.consent = consent;
  return input;
}

function readConsent(text: string): string {
  const isGranted = BOOLEANS.get(text);
  if (isGranted === undefined) return text;
  return isGranted ? 'granted' : 'denied';
}

function readValue(cell: string, rule: PropertyRule | undefined): unknown {
  switch (rule?.type) {
    case 'number':
      return NUMBER.test(cell) ? Number(cell) : cell;
    case 'boolean':
      return BOOLEANS.get(cell.toLowerCase()) ?? cell;
    case 'list':
      return splitList(cell);
    default:
      return cell;
  }
}

/**
 * Splits a list at its semicolons. A list without semicolons is split at its vertical bars, and a list without both is
 * split at its commas.
 */
function splitList(cell: string): string[] {
  const separator = [';', '|'].find((one) => cell.includes(one)) ?? ',';
  return cell
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
