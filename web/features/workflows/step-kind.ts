import { isObject } from '../../api/reader.ts';
import { foreignLine } from '../../ui/cut-text.ts';
import { type Step, textOf } from './definition.ts';

export type StepKind =
  | 'tool'
  | 'code'
  | 'branch'
  | 'wait'
  | 'event'
  | 'loop'
  | 'parallel'
  | 'race'
  | 'stop'
  | 'respond'
  | 'run'
  | 'set'
  | 'return'
  | 'other';

export function kindOf(step: Step): StepKind {
  if (step.tool !== undefined) return 'tool';
  if (step.code !== undefined) return 'code';
  if (step.then !== undefined) return 'branch';
  if (step.wait !== undefined && step.run_workflow === undefined) return 'wait';
  if (step.wait_for_event !== undefined) return 'event';
  if (step.for_each !== undefined) return 'loop';
  if (step.parallel !== undefined) return 'parallel';
  if (step.race !== undefined) return 'race';
  if (step.stop !== undefined) return 'stop';
  if (step.respond !== undefined) return 'respond';
  if (step.set !== undefined) return 'set';
  if (step.return !== undefined) return 'return';
  return step.run_workflow === undefined ? 'other' : 'run';
}

const PAUSE = { wait: { seconds: 1 } };

/**
 * A new step for each kind except tools. Where the new step needs a list of steps that is not empty, this list has one
 * short wait.
 */
export const NEW_STEPS: Readonly<Record<Exclude<StepKind, 'tool' | 'other'>, Step>> = {
  branch: { if: "trigger.payload.plan == 'pro'", then: [], else: [] },
  wait: { wait: { days: 1 } },
  event: { wait_for_event: { event: 'message.received', timeout: { days: 3 } } },
  loop: { for_each: '{{ trigger.payload.items }}', steps: [{ id: 'inner', ...PAUSE }] },
  code: { code: 'return { total: 1 };', input: {} },
  parallel: { parallel: [[{ id: 'left', ...PAUSE }], [{ id: 'right', ...PAUSE }]] },
  race: { race: [[{ id: 'left', ...PAUSE }], [{ id: 'right', ...PAUSE }]] },
  set: { set: { name: '{{ trigger.payload.name }}' } },
  return: { return: { result: '{{ trigger.payload }}' } },
  stop: { stop: 'succeeded' },
  respond: { respond: { status: 200, body: { ok: true } } },
  run: { run_workflow: '' },
};

/**
 * Returns a short description of a step: its tool, its condition or its time. Invisible characters are shown as codes.
 */
export function describeStep(step: Step): string {
  return foreignLine(describe(step));
}

function describe(step: Step): string {
  const { tool, wait, stop, code } = step;
  if (typeof tool === 'string') return tool;
  switch (kindOf(step)) {
    case 'branch':
      return textOf(step.if);
    case 'wait':
      return typeof wait === 'object' && wait !== null
        ? Object.entries(wait)
            .map(([unit, value]) => `${unit}: ${textOf(value)}`)
            .join(', ')
        : '';
    case 'code':
      return typeof code === 'string' ? (code.trim().split('\n', 1)[0] ?? '') : '';
    case 'loop':
      return textOf(step.for_each);
    case 'stop':
      return textOf(stop);
    case 'respond':
      return isObject(step.respond) ? textOf(step.respond.status ?? 200) : '';
    case 'set':
    case 'return':
      return namedValues(step).names.join(', ');
    default:
      return '';
  }
}

/** Returns the values that a step sets or returns, and their names. */
export function namedValues(step: Step): { values: Step; names: readonly string[] } {
  const given = step.set ?? step.return;
  const values = isObject(given) ? given : NONE;
  return { values, names: Object.keys(values) };
}

/** One object for all calls, because fields compare it by identity. */
const NONE: Step = {};
