/** Splits a shell command into its arguments, with quotes and continued lines, and nothing else of a shell. */
export function parseCommand(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|((?:[^\s'"\\])+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}
