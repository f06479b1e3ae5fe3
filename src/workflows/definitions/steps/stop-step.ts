import type { OnError, Step } from '../definition.js';
import type { StepKind } from './step-kind.js';

/** Ends the run. `reason` may hold Liquid expressions. */
export interface StopStep {
  id: string;
  if?: string;
  on_error?: OnError;
  stop: StopStatus;
  reason?: string;
}

const STOP_STATUSES = ['succeeded', 'failed'] as const;

export type StopStatus = (typeof STOP_STATUSES)[number];

export const STOP_STEP: StepKind<StopStep> = {
  marks: ['stop'],
  hint: '"stop"',
  keys: ['stop', 'reason', 'if'],
  endsRun: true,

  parse(given, path, parser) {
    const stop = STOP_STATUSES.find((status) => status === given.stop);
    if (!stop) parser.fault(`${path}.stop`, `must be ${STOP_STATUSES.join(' or ')}`);
    if (given.on_error !== undefined) {
      parser.fault(`${path}.on_error`, 'is not for a step that ends the run');
    }
    return {
      ...parser.condition(given, path),
      stop: stop ?? 'failed',
      ...(given.reason !== undefined && { reason: parser.text(given.reason, `${path}.reason`) }),
    };
  },

  check(step, path, checks) {
    checks.condition(step.if, `${path}.if`);
    checks.text(step.reason ?? '', `${path}.reason`);
  },

  lists: () => [],
  inside: () => [],
};

/** Whether it is a step that ended its run as it says, and not one that could not be carried out. */
export function hasStopped(step: Step, output: object | null | undefined): boolean {
  return 'stop' in step && Boolean(output && 'stopped' in output);
}
