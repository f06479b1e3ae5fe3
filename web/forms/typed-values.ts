interface Variable {
  readonly name: string;
  /** A type of a template's variables. */
  readonly type: string;
}

/** Returns the values that a person typed for variables, by name, or undefined when there are none. */
export function readTyped(
  variables: readonly Variable[],
  typed: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> | undefined {
  const values = variables
    .map(({ name, type }) => [name, readValue(type, typed.get(name) ?? '')] as const)
    .filter(([, value]) => value !== undefined);
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

/**
 * Converts a typed text to the type of its variable. Returns an invalid text unchanged, so that the service can report
 * it.
 */
export function readValue(type: string, given: string): unknown {
  const typed = given.trim();
  if (typed === '') return undefined;
  if (type === 'text' || type === 'date') return typed;
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}
