import { MAX_CODE_CHARACTERS, MAX_CODE_SECONDS } from '../../../code/code-limits.js';
import { isJsonObject } from '../../../text/is-json-object.js';
import { checkValue } from '../../../tools/schema/check-value.js';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';
import type { CodeStep, Step } from '../definition.js';
import { parseRetry } from './retry-policy.js';
import type { StepKind } from './step-kind.js';

/**
 * The text that the journal stores for a code step in place of the name of a tool. Without this text, only the output
 * of a tool could be the result of a run, and the output of a code step could not.
 */
export const CODE = 'code';

/** The smallest and the largest timeout, in seconds. */
const TIMEOUT: JsonSchema = { type: 'number', minimum: 0.1, maximum: MAX_CODE_SECONDS };

export const CODE_STEP: StepKind<CodeStep> = {
  marks: ['code'],
  hint: '"code"',
  keys: ['code', 'input', 'retry', 'timeout'],
  waitReason: 'retry',

  parse(given, path, parser) {
    const step: Omit<CodeStep, 'id'> = { code: '' };
    const { code } = given;
    if (typeof code === 'string' && code.trim() !== '' && code.length <= MAX_CODE_CHARACTERS) {
      step.code = code;
    } else {
      parser.fault(`${path}.code`, `must be text of 1 to ${MAX_CODE_CHARACTERS} characters`);
    }
    if (given.input !== undefined) {
      if (isJsonObject(given.input)) step.input = given.input;
      else parser.fault(`${path}.input`, 'must be an object');
    }
    if (given.retry !== undefined) step.retry = parseRetry(given.retry, path, parser);
    if (given.timeout !== undefined) {
      const at = `${path}.timeout`;
      step.timeout = checkValue(TIMEOUT, given.timeout, at, parser.faults) as number;
    }
    return step;
  },

  check(step, path, checks) {
    checks.value(step.input ?? {}, `${path}.input`);
    const { codeRefusal, codeFaults } = checks.tools;
    const fault = codeRefusal ?? codeFaults?.get(step.code);
    if (fault !== undefined) checks.fault(`${path}.code`, fault);
  },
};

export function isCode(step: Step): step is CodeStep {
  return 'code' in step;
}

/**
 * Returns the JavaScript code of every code step in a definition. The definition may be invalid, because it is checked
 * later.
 */
export function codesIn(given: unknown): string[] {
  if (typeof given !== 'object' || given === null) return [];
  const { code, tool } = given as { code?: unknown; tool?: unknown };
  const isStep = typeof code === 'string' && tool === undefined;
  const own = isStep && code.length <= MAX_CODE_CHARACTERS ? [code] : [];
  return [...own, ...stepLists(given).flatMap(codesIn)];
}

/** The members that contain no steps. Their values may have a member `code` too, which is not the code of a step. */
const NO_STEPS = new Set([
  'arguments',
  'payload',
  'input',
  'wait',
  'wait_for_event',
  'for_each',
  'set',
  'return',
  'respond',
  'output',
]);

function stepLists(given: object): unknown[] {
  return Object.entries(given).flatMap(([member, value]): unknown[] =>
    NO_STEPS.has(member) ? [] : [value],
  );
}
