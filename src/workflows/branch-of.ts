/** Which list of steps a branch chose, from its output in the journal. */
export function branchOf(output: object | null): 'then' | 'else' | undefined {
  const branch = (output as { branch?: unknown } | null)?.branch;
  return branch === 'then' || branch === 'else' ? branch : undefined;
}
