/** Which list of steps a branch chose, from its output in the journal. */
export function branchOf(output: object | null): 'then' | 'else' | undefined {
  const branch = output && 'branch' in output ? output.branch : undefined;
  return branch === 'then' || branch === 'else' ? branch : undefined;
}
