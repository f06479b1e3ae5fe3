import { COMMAND_LINE_NAMES } from '../config/command-line-settings.js';

/** The help of the command. docs/command-line.md says more. */
export const HELP = `switchboard: calls tools of a Switchboard service

  switchboard tools                         lists the tools that the key may call
  switchboard tools TOOL                    describes a tool and its arguments
  switchboard call TOOL ['{"name": "…"}']   calls a tool and prints its result
  switchboard call TOOL --file ROWS.jsonl   calls a tool once for each line, a JSON object
  switchboard doctor                        checks address, key, version and clock
  switchboard new NAME                      creates the package of a module (docs/extending.md)
  switchboard help, switchboard --version

Environment:
  ${COMMAND_LINE_NAMES.url}   address of the service, http://127.0.0.1:3000 by default
  ${COMMAND_LINE_NAMES.key}   API key; it has no option, because process lists show options

Options:
  --url URL                address of the service

Options of call:
  --dry-run                rolls every call back and keeps nothing
  --idempotency-key KEY    the same key and arguments cause no second call, for 7 days; with rows,
                           the key of a row is KEY:ROW (default: random)
  --file FILE              reads rows from a file, or from standard input for -
  --rejected FILE          reads rows from a file of rejected rows
  --from ROW               skips the rows before this line
  --parallel N             sends 1 to 16 batches of 20 rows at the same time (default: 4); with 1,
                           rows are called in the order of the file

Rejected rows, with their errors, are written to ROWS.rejected.jsonl beside the file.

Exit codes: 0 everything is done, 1 the tool or the service refused something, 2 not finished
`;
