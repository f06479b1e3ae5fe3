/** Returns the value with `replacement` in place of every text at one of the paths, such as `trigger.secret`. */
export function withoutSecrets<Value extends object>(
  value: Value,
  paths: readonly string[] = [],
  replacement: string | null,
): Value {
  return paths.reduce((copy, path) => replaceText(copy, path.split('.'), replacement), value);
}

function replaceText<Value extends object>(
  value: Value,
  [name, ...rest]: readonly string[],
  replacement: string | null,
): Value {
  if (name === undefined || !Object.hasOwn(value, name)) return value;
  const member = (value as Record<string, unknown>)[name];
  if (rest.length === 0) {
    return typeof member === 'string' ? { ...value, [name]: replacement } : value;
  }
  if (typeof member !== 'object' || member === null) return value;
  return { ...value, [name]: replaceText(member, rest, replacement) };
}
