/**
 * Returns a name for the value of an expression. The name is derived from its last member, and is unused among the
 * given values.
 */
export function freeName(names: readonly string[], expression: string): string {
  const base = /[A-Za-z]\w*$/.exec(expression)?.[0] ?? 'value';
  if (!names.includes(base)) return base;
  let number = 2;
  while (names.includes(`${base}_${number}`)) number += 1;
  return `${base}_${number}`;
}
