import type { Step, StopStatus, StopStep } from '../definition.js';
import type { StepKind } from './step-kind.js';

const STOP_STATUSES: readonly StopStatus[] = ['succeeded', 'failed'];

export const STOP_STEP: StepKind<StopStep> = {
  marks: ['stop'],
  hint: '"stop"',
  keys: ['stop', 'reason'],
  endsRun: true,

  parse(given, path, parser) {
    const stop = STOP_STATUSES.find((status) => status === given.stop);
    if (!stop) parser.fault(`${path}.stop`, `must be ${STOP_STATUSES.join(' or ')}`);
    if (given.on_error !== undefined) {
      parser.fault(`${path}.on_error`, 'must be absent in a step that ends the run');
    }
    return {
      stop: stop ?? 'failed',
      ...(given.reason !== undefined && { reason: parser.text(given.reason, `${path}.reason`) }),
    };
  },

  check: (step, path, checks) => checks.text(step.reason ?? '', `${path}.reason`),
};

/** Returns true when the step ended its run as defined, and false when the step itself failed. */
export function hasStopped(step: Step, output: object | null | undefined): boolean {
  return 'stop' in step && Boolean(output && 'stopped' in output);
}
