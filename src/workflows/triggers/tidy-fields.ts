const TEXTS = [
  'external_id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'locale',
  'timezone',
] as const;

/**
 * Fields of a contact as forms mean them: without what was left blank, without spaces around, numbers as text where the
 * field is text. A field that is blank is one that the form knows nothing of, and must never clear what is known.
 */
export function tidyFields(given: Record<string, unknown>): Record<string, unknown> {
  const fields = tidyMembers(given);
  for (const name of TEXTS) {
    if (typeof fields[name] === 'number') fields[name] = String(fields[name]);
  }
  if (Array.isArray(fields.tags)) {
    fields.tags = fields.tags
      .map(tidyText)
      .filter((tag) => !isBlank(tag))
      .map((tag: unknown) => (typeof tag === 'number' ? String(tag) : tag));
  }
  for (const name of ['properties', 'consent']) {
    const inner = fields[name];
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      fields[name] = tidyMembers(inner as Record<string, unknown>);
    }
  }
  return fields;
}

function tidyMembers(given: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(given).map(([key, value]) => [key, tidyText(value)] as const);
  return Object.fromEntries(members.filter(([, value]) => !isBlank(value)));
}

function tidyText(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
