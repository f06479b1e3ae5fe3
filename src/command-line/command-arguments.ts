import { parseArgs } from 'node:util';
import { didYouMean } from '../text/nearest-names.js';
import { CommandError } from './command-error.js';

const OPTIONS = {
  url: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'idempotency-key': { type: 'string' },
  file: { type: 'string' },
  rejected: { type: 'string' },
  from: { type: 'string' },
  parallel: { type: 'string' },
} as const;

/** The options of each command, besides `--url`. */
const OPTIONS_OF: Record<string, readonly (keyof typeof OPTIONS)[]> = {
  call: ['dry-run', 'idempotency-key', 'file', 'rejected', 'from', 'parallel'],
  tools: [],
  doctor: [],
};
const MAX_PARALLEL = 16;
const DEFAULT_PARALLEL = 4;
const VISIBLE_ASCII = /^[\x21-\x7e]{1,200}$/;

interface CallOptions {
  readonly tool: string;
  readonly idempotencyKey: string | undefined;
  readonly isDryRun: boolean;
}

/** The action that the person chose, with its options. docs/command-line.md uses the same names. */
export type Command = { readonly url: string | undefined } & (
  | { readonly name: 'help' }
  | { readonly name: 'version' }
  | { readonly name: 'doctor' }
  | { readonly name: 'tools'; readonly tool: string | undefined }
  | ({ readonly name: 'call'; readonly json: string } & CallOptions)
  | ({
      readonly name: 'call-rows';
      readonly file: string | undefined;
      readonly isRejected: boolean;
      readonly from: number;
      readonly parallel: number;
    } & CallOptions)
);

type Values = ReturnType<typeof parse>['values'];

/** Parses the arguments of the command line. Throws a {@link CommandError} that says what is allowed. */
export function parseCommand(given: readonly string[]): Command {
  const { values, positionals } = parse(given);
  const [name, ...rest] = positionals;
  const { url } = values;
  if (values.version) return { name: 'version', url };
  if (values.help || name === 'help') return { name: 'help', url };
  if (name === undefined) throw new CommandError(`No command is given. ${SEE_HELP}`);
  const allowed = Object.hasOwn(OPTIONS_OF, name) ? OPTIONS_OF[name] : undefined;
  if (!allowed) {
    const hint = didYouMean(name, [...Object.keys(OPTIONS_OF), 'new']);
    throw new CommandError(`Unknown command: ${name.slice(0, 64)}.${hint} ${SEE_HELP}`);
  }
  const permitted: readonly string[] = [...allowed, 'url'];
  const other = Object.keys(values).find((option) => !permitted.includes(option));
  if (other) throw new CommandError(`"switchboard ${name}" has no option --${other}. ${SEE_HELP}`);
  switch (name) {
    case 'tools':
      assertAtMost(1, rest);
      return { name, tool: rest[0], url };
    case 'call':
      return parseCall(rest, values);
    default:
      assertAtMost(0, rest);
      return { name: 'doctor', url };
  }
}

const SEE_HELP = 'See "switchboard help".';

function parse(given: readonly string[]) {
  try {
    return parseArgs({ args: [...given], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // The first sentence of the error names the option. The other sentences are about parseArgs itself.
    const [first] = (error as Error).message.split(/\.(?:\s|$)/);
    throw new CommandError(`${first}. ${SEE_HELP}`, { cause: error });
  }
}

function parseCall(given: readonly string[], values: Values): Command {
  const { url, file, rejected } = values;
  const [tool, json = '{}'] = given;
  if (!tool) throw new CommandError(`Name the tool: switchboard call TOOL. ${SEE_HELP}`);
  const options = { tool, url, isDryRun: values['dry-run'] ?? false };
  const idempotencyKey = keyOf(values);
  if (file === undefined && rejected === undefined) {
    assertAtMost(2, given);
    if (values.from !== undefined || values.parallel !== undefined) {
      throw new CommandError('--from and --parallel need a file of rows, given with --file.');
    }
    return { name: 'call', json, ...options, idempotencyKey };
  }
  assertAtMost(1, given);
  if (file !== undefined && rejected !== undefined) {
    throw new CommandError('Give either --file or --rejected.');
  }
  const path = file ?? rejected;
  return {
    name: 'call-rows',
    ...options,
    idempotencyKey,
    file: path === '-' ? undefined : path,
    isRejected: rejected !== undefined,
    from: wholeNumber(values.from, '--from', 1, Number.MAX_SAFE_INTEGER) ?? 1,
    parallel: wholeNumber(values.parallel, '--parallel', 1, MAX_PARALLEL) ?? DEFAULT_PARALLEL,
  };
}

function keyOf({ 'idempotency-key': key }: Values): string | undefined {
  if (key === undefined || VISIBLE_ASCII.test(key)) return key;
  throw new CommandError('--idempotency-key must be 1 to 200 visible ASCII characters.');
}

function wholeNumber(
  text: string | undefined,
  option: string,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  const limit = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `${min} to ${max}`;
  throw new CommandError(`${option} must be a whole number: ${limit}.`);
}

function assertAtMost(count: number, given: readonly string[]): void {
  if (given.length <= count) return;
  const shown = given[count]!.slice(0, 64);
  throw new CommandError(`The argument "${shown}" is not expected. ${SEE_HELP}`);
}
