import { isJsonObject } from '../../../text/is-json-object.js';
import type { RespondStep, Step } from '../definition.js';
import { checkKeys, isDynamic, parseName } from '../step-fields.js';
import {
  ANSWER_TYPE_NAMES,
  answerFaults,
  DEFAULT_STATUS,
  headerNameFault,
  headerValueFault,
  MAX_ANSWER_BYTES,
  MAX_ANSWER_HEADERS,
  statusFault,
} from '../webhook-answer.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';

type Answer = RespondStep['respond'];

/** The step that answers the sender of a webhook. The run continues after it. */
export const RESPOND_STEP: StepKind<RespondStep> = {
  marks: ['respond'],
  hint: '"respond"',
  keys: ['respond'],

  parse: (given, path, parser) => ({
    respond: parseAnswer(given.respond, `${path}.respond`, parser),
  }),

  check: (step, path, checks) => checks.value(step.respond, `${path}.respond`),
};

export function isRespond(step: Step): step is RespondStep {
  return 'respond' in step;
}

function parseAnswer(given: unknown, path: string, parser: StepParser): Answer {
  if (!isJsonObject(given)) {
    parser.fault(path, 'must be an object, such as {"status": 200, "body": {}}');
    return {};
  }
  checkKeys(given, path, ['status', 'type', 'headers', 'body'], parser.faults);
  const { status, type, headers, body } = given;
  const answer: Answer = {};
  if (status !== undefined) answer.status = parseStatus(status, `${path}.status`, parser);
  if (type !== undefined) {
    answer.type = parseName(type, ANSWER_TYPE_NAMES, `${path}.type`, parser.faults) ?? 'json';
  }
  if (headers !== undefined) answer.headers = parseHeaders(headers, `${path}.headers`, parser);
  if (body !== undefined) answer.body = parseBody(body, answer, `${path}.body`, parser);
  const { status: parsed = DEFAULT_STATUS } = answer;
  if (typeof parsed === 'number') {
    const whole = { status: parsed, headers: answer.headers ?? {}, hasBody: body !== undefined };
    for (const fault of answerFaults(whole)) parser.fault(`${path}.${fault.path}`, fault.message);
  }
  return answer;
}

function parseStatus(given: unknown, path: string, parser: StepParser): number | string {
  if (typeof given === 'string' && isDynamic(given)) return parser.text(given, path);
  const fault = statusFault(given);
  if (fault === undefined) return given as number;
  parser.fault(path, `${fault}, or an expression`);
  return DEFAULT_STATUS;
}

function parseHeaders(given: unknown, path: string, parser: StepParser): Record<string, string> {
  const entries = isJsonObject(given) ? Object.entries(given) : undefined;
  if (!entries || entries.length > MAX_ANSWER_HEADERS) {
    parser.fault(path, `must be an object with at most ${MAX_ANSWER_HEADERS} headers`);
    return {};
  }
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size < entries.length) parser.fault(path, 'must have each header once');
  for (const [name, value] of entries) {
    const at = `${path}.${name}`;
    const nameFault = headerNameFault(name);
    if (nameFault !== undefined) parser.fault(at, nameFault);
    else if (typeof value !== 'string') parser.fault(at, 'must be text');
    else if (!isDynamic(value)) {
      const fault = headerValueFault(name, value);
      if (fault !== undefined) parser.fault(at, fault);
    }
  }
  return given as Record<string, string>;
}

function parseBody(given: unknown, { type }: Answer, path: string, parser: StepParser): unknown {
  const isText = type === 'text' || type === 'xml';
  if (isText && typeof given !== 'string')
    parser.fault(path, `must be text, because type is ${type}`);
  if (Buffer.byteLength(textOf(given)) > MAX_ANSWER_BYTES) {
    parser.fault(path, `must be at most ${MAX_ANSWER_BYTES} bytes`);
  }
  return given;
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
