/**
 * Returns a name for the value of an expression. The name is derived from the last member of the expression, and is not
 * one of the given names.
 */
export function freeName(names: readonly string[], expression: string): string {
  const base = /[A-Za-z]\w*$/.exec(expression)?.[0] ?? 'value';
  if (!names.includes(base)) return base;
  let number = 2;
  while (names.includes(`${base}_${number}`)) number += 1;
  return `${base}_${number}`;
}
