import type { ContactImport } from '../../api/imports.ts';

/** Lists the fields to which a column can be mapped, besides properties. */
export const IMPORT_FIELDS = [
  'external_id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'locale',
  'timezone',
  'tags',
  'consent.email',
  'consent.sms',
  'consent.webhook',
] as const;
export const IDENTIFIERS = ['external_id', 'email', 'phone'] as const;
const PROPERTY = 'properties.';

/** Returns the properties to which a column can be mapped: the declared ones, and one named after each column. */
export function propertyTargets(
  { columns, suggested_mapping, mapping }: ContactImport,
  declared: readonly string[],
): string[] {
  const used = [...Object.values(suggested_mapping), ...Object.values(mapping ?? {})];
  const names = [
    ...used.filter((target) => target.startsWith(PROPERTY)),
    ...declared.map((name) => `${PROPERTY}${name}`),
    ...columns.map(propertyOf).filter((target) => target !== undefined),
  ];
  return [...new Set(names)].sort();
}

/** Returns the property with the name of a column, or undefined when a property cannot have this name. */
function propertyOf(column: string): string | undefined {
  const name = column
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 64);
  return name === '' || name === 'constructor' ? undefined : `${PROPERTY}${name}`;
}
