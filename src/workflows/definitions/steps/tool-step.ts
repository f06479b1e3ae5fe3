import type { FaultList } from '../../../errors/fault-list.js';
import { isJsonObject } from '../../../text/is-json-object.js';
import { didYouMean } from '../../../text/nearest-names.js';
import { checkValue } from '../../../tools/schema/check-value.js';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';
import type { Step, ToolStep } from '../definition.js';
import { isDynamic } from '../step-fields.js';
import { parseRetry } from './retry-policy.js';
import type { StepChecks } from './step-checks.js';
import type { StepKind } from './step-kind.js';

/**
 * The longest timeout of a tool without external calls, in seconds. The database ends a transaction that is idle for 30
 * s.
 */
export const MAX_INTERNAL_TIMEOUT_SECONDS = 25;

/** The longest timeout of an external tool, in seconds. */
export const MAX_EXTERNAL_TIMEOUT_SECONDS = 300;

/** The tool whose arguments may contain secrets. */
const HTTP_REQUEST = 'http_request';

/** The smallest and the largest timeout, in seconds. Tools without external calls have a lower maximum. */
const TIMEOUT: JsonSchema = { type: 'number', minimum: 1, maximum: MAX_EXTERNAL_TIMEOUT_SECONDS };

export const TOOL_STEP: StepKind<ToolStep> = {
  marks: ['tool'],
  hint: '"tool"',
  keys: ['tool', 'arguments', 'retry', 'timeout'],
  waitReason: 'retry',

  parse(given, path, parser) {
    const step: Omit<ToolStep, 'id'> = { tool: parser.text(given.tool, `${path}.tool`) };
    if (given.arguments !== undefined) {
      if (isJsonObject(given.arguments)) step.arguments = given.arguments;
      else parser.fault(`${path}.arguments`, 'must be an object');
    }
    if (given.retry !== undefined) step.retry = parseRetry(given.retry, path, parser);
    if (given.timeout !== undefined) {
      const at = `${path}.timeout`;
      step.timeout = checkValue(TIMEOUT, given.timeout, at, parser.faults) as number;
    }
    return step;
  },

  check(step, path, checks) {
    const { tool, arguments: given = {} } = step;
    const at = `${path}.arguments`;
    checks.value(given, at, tool === HTTP_REQUEST);
    if (tool === HTTP_REQUEST && typeof given.credential === 'string') {
      checks.secret(given.credential, `${at}.credential`);
    }
    checkTool(step, path, checks);
  },
};

export function isTool(step: Step): step is ToolStep {
  return 'tool' in step;
}

function checkTool(step: ToolStep, path: string, checks: StepChecks): void {
  const tool = checks.tools.find(step.tool);
  if (!tool) {
    if (step.tool !== '') {
      const near = (): string => didYouMean(step.tool, checks.tools.names());
      checks.fault(`${path}.tool`, () => `"${step.tool}" is not a tool for steps.${near()}`);
    }
    return;
  }
  checkStatic(step.arguments ?? {}, tool.inputSchema, `${path}.arguments`, checks.faults);
  for (const fault of checks.tools.faultsOf?.(step.tool, step.arguments ?? {}) ?? []) {
    checks.fault(`${path}.arguments.${fault.path}`, fault.message);
  }
  if (!tool.annotations.openWorldHint && (step.timeout ?? 0) > MAX_INTERNAL_TIMEOUT_SECONDS) {
    const message = `must be at most ${MAX_INTERNAL_TIMEOUT_SECONDS}: "${step.tool}" calls no external system`;
    checks.fault(`${path}.timeout`, message);
  }
  const refusal = checks.tools.refusal(step.tool, step.arguments ?? {});
  if (refusal !== undefined) checks.fault(`${path}.tool`, refusal);
}

/**
 * Adds a fault for each argument that can never match the schema. The values of expressions are checked in each run.
 */
export function checkStatic(
  value: unknown,
  schema: JsonSchema,
  path: string,
  faults: FaultList,
): void {
  checkValue(schema, value, path, faults, (item) => typeof item === 'string' && isDynamic(item));
}
