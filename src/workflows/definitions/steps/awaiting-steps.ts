import type { EventName } from '../../../events/domain-events.js';
import { everyStep, type Step } from '../definition.js';
import type { Turn } from '../step-engine.js';
import { type EventWaitStep, isEventWait } from './event-wait-step.js';
import { isRunWorkflow } from './run-workflow-step.js';
import { kindOf } from './step-kinds.js';

/** Whether runs with these steps can wait for more than a time. */
export function isAwaiting(steps: readonly Step[]): boolean {
  return everyStep(steps).some((step) => isEventWait(step) || isRunWorkflow(step));
}

/** The events that runs with these steps can wait for. */
export function awaitedEvents(steps: readonly Step[]): EventName[] {
  const events = waitsIn(steps).map((step) => step.wait_for_event.event);
  return [...new Set(events)].filter((event) => event !== 'resume');
}

/** Ids of steps that have a resume URL, with the keys of their entries; of steps in loops in these turns only. */
export function resumablePaths(
  steps: readonly Step[],
  turns: readonly Turn[],
  prefix = '',
): [string, string][] {
  return steps.flatMap((step): [string, string][] => {
    const own: [string, string][] = isResumable(step) ? [[step.id, prefix + step.id]] : [];
    const onError = Array.isArray(step.on_error) ? step.on_error : [];
    return [...own, ...resumablePaths(onError, turns, prefix), ...inside(step, turns, prefix)];
  });
}

function inside(step: Step, turns: readonly Turn[], prefix: string): [string, string][] {
  const turn = turns.find(({ loop }) => loop.step === step);
  if (isForEach(step) && !turn) return [];
  const within = turn ? `${turn.loop.path}[${turn.index}].` : prefix;
  return kindOf(step)
    .lists(step)
    .flatMap((list) => resumablePaths(list.steps, turns, within));
}

function isResumable(step: Step): boolean {
  return isEventWait(step) && step.wait_for_event.event === 'resume';
}

function isForEach(step: Step): boolean {
  return 'for_each' in step;
}

function waitsIn(steps: readonly Step[]): EventWaitStep[] {
  return everyStep(steps).filter(isEventWait);
}
