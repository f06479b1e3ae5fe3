/** Splits a shell command into its arguments. Supports quotes and continued lines, and no other syntax of shells. */
export function parseCommand(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|((?:[^\s'"\\])+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}
