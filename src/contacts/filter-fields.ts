export const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'is_set',
  'is_not_set',
  'greater_than',
  'less_than',
  'in',
  'between',
  'before',
  'after',
  'within_days',
  'is',
  'is_not',
] as const;

export type FilterOperator = (typeof OPERATORS)[number];
export type FilterValue = string | number | boolean;

export const TEXT_FIELDS = {
  external_id: 'externalId',
  email: 'email',
  phone: 'phone',
  first_name: 'firstName',
  last_name: 'lastName',
  locale: 'locale',
  timezone: 'timezone',
} as const;
export const TIME_FIELDS = { created_at: 'createdAt', updated_at: 'updatedAt' } as const;
/** The times that are read from messages and runs. They are null for a contact without messages and runs. */
export const ACTIVITY_FIELDS = ['last_message_at', 'last_activity_at'] as const;

export type FilterKind = 'text' | 'tags' | 'property' | 'consent' | 'time' | 'activity' | 'segment';

/** A validated condition. Depending on `kind`, `name` is a field name, a property name or a consent channel. */
export interface ContactFilter {
  kind: FilterKind;
  name: string;
  operator: FilterOperator;
  /**
   * The values. `is_set` and `is_not_set` have no value, `in` has any number of values, `between` has two values, and
   * each other operator has one.
   */
  values: FilterValue[];
}

/** A condition, or a group of conditions. */
export type FilterNode =
  | ContactFilter
  | { and: readonly FilterNode[] }
  | { or: readonly FilterNode[] }
  | { not: FilterNode };

export const TIME_OPERATORS = [
  'greater_than',
  'less_than',
  'between',
  'before',
  'after',
  'within_days',
] as const;
const SEGMENT_OPERATORS = ['is', 'is_not'] as const;
const PROPERTY_OPERATORS = without(OPERATORS, SEGMENT_OPERATORS);

export const OPERATORS_OF: Record<FilterKind, readonly FilterOperator[]> = {
  text: without(PROPERTY_OPERATORS, TIME_OPERATORS),
  tags: ['contains', 'not_contains', 'in', 'is_set', 'is_not_set'],
  property: PROPERTY_OPERATORS,
  consent: ['equals', 'not_equals', 'in', 'is_set', 'is_not_set'],
  time: TIME_OPERATORS,
  activity: [...TIME_OPERATORS, 'is_set', 'is_not_set'],
  segment: SEGMENT_OPERATORS,
};

function without(
  operators: readonly FilterOperator[],
  others: readonly FilterOperator[],
): FilterOperator[] {
  return operators.filter((operator) => !others.includes(operator));
}
